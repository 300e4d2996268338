// Which hosts a list of allowed ones lets through.
import assert from "node:assert/strict";
import { isAllowed } from "../../../src/scope/hostGate.ts";

describe("Allowed hosts", () => {
  it("are exact, or everything below a name", () => {
    const hosts = ["pypi.org", "*.example.org"];
    const asked = ["pypi.org", "PyPI.org", "a.example.org", "a.b.example.org"];
    assert.deepEqual(
      asked.filter((host) => !isAllowed(host, hosts)),
      [],
    );
    const others = ["example.org", "evilexample.org", "pypi.org.evil.net", "x.pypi.org", "127.0.0.1", ""];
    assert.deepEqual(
      others.filter((host) => isAllowed(host, hosts)),
      [],
    );
  });
});
