// Read pages from standard input, one {"html", "url"} per line, and answer each with a line: the
// result of @mozilla/readability, and the milliseconds of processor time it took.
import { createInterface } from "node:readline";
import { Readability } from "@mozilla/readability";
import { JSDOM, VirtualConsole } from "jsdom";

for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line);
  const began = process.cpuUsage();
  let article = null;
  let failed = "";
  try {
    const { window } = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
    article = new Readability(window.document).parse();
    window.close();
  } catch (error) {
    failed = String(error);
  }
  const { user, system } = process.cpuUsage(began);
  const answer = { html: article?.content ?? "", title: article?.title ?? "", failed };
  console.log(JSON.stringify({ ...answer, milliseconds: (user + system) / 1000 }));
}
