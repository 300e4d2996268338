// A server of the Model Context Protocol, made with its own library: as a program over its input and output, or as a handler of HTTP.
import { spawn } from "node:child_process";
import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The server with all of its tools. */
export function makeServer(): McpServer {
  const server = new McpServer({ name: "things", version: "1.0.0" });
  const tool = (name: string, work: () => CallToolResult | Promise<CallToolResult>): void =>
    void server.registerTool(name, { description: `${name} for tests` }, work);
  server.registerTool(
    "echo",
    {
      description: "Says it again.",
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    (given) => text(`You said ${given.text}.`),
  );
  server.registerTool(
    "weigh",
    { inputSchema: z.object({ kilos: z.number() }), outputSchema: z.object({ grams: z.number() }) },
    ({ kilos }) => ({ content: [], structuredContent: { grams: kilos * 1000 } }),
  );
  server.registerTool("wait", { inputSchema: z.object({}) }, async (_none, context) => {
    await context.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: 1, total: 3, message: "Begun" },
    });
    await new Promise<void>((resolve) => context.mcpReq.signal.addEventListener("abort", () => resolve()));
    return text("Stopped.");
  });
  tool("picture", () => ({
    content: [
      { type: "text", text: "Here:" },
      { type: "image", data: dot, mimeType: "image/png" },
      { type: "resource_link", uri: "file:///plan.md", name: "plan", mimeType: "text/markdown" },
      { type: "resource", resource: { uri: "file:///note.txt", text: "A note." } },
    ],
  }));
  tool("refuse", () => ({ ...text("No such thing."), isError: true }));
  tool("die", () => process.exit(3));
  tool("flood", () => text("x".repeat(50_000_000)));
  tool("leak", () => text("The key is ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"));
  tool("environment", () => text(Object.keys(process.env).join(" ")));
  tool("child", () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    return text(String(child.pid));
  });
  tool("grow", () => {
    for (let n = 0; n < 500; n++) server.sendToolListChanged();
    tool("grown", () => text("New."));
    return text("Grown.");
  });
  return server;
}

if (process.argv[1] === import.meta.filename) {
  process.stderr.write("Things are served.\n");
  serveStdio(makeServer);
}
