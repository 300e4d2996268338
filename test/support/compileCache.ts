// Keeps what Node makes of a source before it runs it: the hundreds of processes that the tests start share it.
import { enableCompileCache } from "node:module";
import path from "node:path";
import { root } from "./run.ts";

const folder = path.join(root, ".dev/compile-cache");
enableCompileCache(folder);
process.env["NODE_COMPILE_CACHE"] ??= folder;
