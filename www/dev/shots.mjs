import { chromium } from "playwright-core";
import { serve } from "/tmp/h9/www/serve.ts";
const [,, out = "/tmp/h9-shots", dist = "/tmp/h9-dist", input, only] = process.argv;
import { mkdirSync } from "node:fs"; mkdirSync(out, { recursive: true });
const { url, server } = await serve(dist, 0, "/a/b/");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox","--disable-gpu","--disable-background-networking","--disable-component-update","--disable-sync"] });
for (const scheme of ["light", "dark"]) for (const [size, w, h] of [["desktop", 1280, 900], ["phone", 390, 844]]) {
  if (only && !(`${scheme}-${size}`).match(only)) continue;
  const page = await browser.newPage({ viewport: { width: w, height: h }, colorScheme: scheme });
  page.on("console", m => ["error","warning"].includes(m.type()) && console.log(scheme, size, m.text())); page.on("pageerror", e => console.log("pageerror", e.message));
  await page.goto(url); await page.waitForSelector(".start");
  const shot = (n, full = true) => page.screenshot({ path: `${out}/${scheme}-${size}-${n}.png`, fullPage: full });
  await shot("start");
  if (input) await page.setInputFiles("input[type=file]", input); else await page.setInputFiles("input[type=file]", { name: "fake.jsonl", mimeType: "text/plain", buffer: Buffer.from('{"type":"session"}\n') });
  if (!input) { await page.waitForSelector(".progress"); await page.waitForTimeout(200); await shot("progress", false); }
  await page.waitForSelector(".timeline", { timeout: 60000 }); await page.waitForTimeout(400);
  if (!input) await page.fill("input[type=range]", "120"); await page.waitForTimeout(300);
  for (const v of ["messages","map","query","cache","findings","settings","export"]) {
    if (!(await page.$(`#tab-${v}`))) continue;
    await page.click(`#tab-${v}`); await page.waitForTimeout(250);
    if (v === "query") { await page.fill("#view input", "t3"); await page.click("#view button[type=submit]"); await page.waitForTimeout(200); }
    if (v === "export") { for (const b of await page.$$("#view button[aria-expanded]")) await b.click(); await page.waitForTimeout(200); }
    if (v === "messages") { const d = page.getByRole("button", { name: "Diff" }).first(); if (await d.count()) { await d.click(); await page.waitForTimeout(300); } }
    await shot(v, v !== "messages");
    if (v === "messages") { await page.evaluate(() => scrollTo(0, 620)); await page.waitForTimeout(300); await shot("messages-scrolled", false); await page.evaluate(() => scrollTo(0,0)); }
  }
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth); if (over > 0) console.log(scheme, size, "overflow", over);
  await page.close();
}
await browser.close(); server.close();
