/** One setting, as the core describes it: the only place where keys, defaults and rules are. */
export type { SettingRow } from "../../wasm/decant.js";
