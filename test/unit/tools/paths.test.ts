// The paths that a person can name in a message.
import assert from "node:assert/strict";
import { createScope } from "../../../src/scope/scope.ts";
import { pathsIn } from "../../../src/tools/paths.ts";
import { openPlace } from "./place.ts";

describe("the paths of a workspace", () => {
  it("are those of every root, without what is ignored or denied", async () => {
    await using place = await openPlace();
    await using other = await openPlace();
    await place.put("src/a.ts", "");
    await place.put("node_modules/x/index.js", "");
    await place.put(".gitignore", "node_modules/\n");
    await place.put(".env", "");
    await other.put("b.ts", "");
    const scope = await createScope({ root: place.root, others: [other.root] });
    const paths = await pathsIn(scope, new AbortController().signal);
    const name = scope.policy.roots[1]?.name ?? "";
    assert.deepEqual(paths, [".gitignore", "src/", "src/a.ts", `${name}:b.ts`]);
  });
});
