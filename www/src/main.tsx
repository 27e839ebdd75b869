import { render } from "preact";
import { Page } from "./page/Page.tsx";
import { restore } from "./state/remember.ts";
import "./style/base.css";
import "./style/page.css";
import "./style/session.css";
import "./style/timeline.css";
import "./style/messages.css";
import "./style/map.css";
import "./style/views.css";

const place = document.getElementById("page");
if (place) render(<Page />, place);
void restore();
