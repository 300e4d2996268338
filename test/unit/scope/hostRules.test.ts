// What rules say of the hosts that commands want to reach, and which rules are offered.
import assert from "node:assert/strict";
import type { Ruling } from "../../../src/engine/ports.ts";
import { ruleText, type Rule } from "../../../src/protocol/rules.ts";
import { policyOf, ruling } from "./ruling.ts";

const allow = (...hosts: string[]): Rule[] => hosts.map((host) => ({ decision: "allow", host }));
const deny = (...hosts: string[]): Rule[] => hosts.map((host) => ({ decision: "deny", host }));
const ask = (...hosts: string[]): Rule[] => hosts.map((host) => ({ decision: "ask", host }));

async function said(target: string, rules: readonly Rule[], narrowing: readonly Rule[] = []): Promise<Ruling> {
  const [, host = "", port] = /^(.+):(\d+)$/.exec(target) ?? [];
  return policyOf(rules)({
    runId: "run",
    toolCallId: "call",
    toolName: "reach_host",
    effect: "run",
    preview: { kind: "host", host, port: Number(port) },
    touches: { reads: [], writes: [], runs: false },
    narrowing: [narrowing],
  });
}

async function kindOf(...asked: Parameters<typeof said>): Promise<Ruling["kind"]> {
  return (await said(...asked)).kind;
}

describe("Rules about hosts", () => {
  it("speak of exactly one, or of everything below a name, on any port or on one", async () => {
    const rules = allow("packages.test", "*.Example.org", "db.test:5432");
    const reached = ["packages.test:443", "packages.test:80", "a.example.org:443", "a.b.example.org:1", "db.test:5432"];
    const others = [
      "example.org:443",
      "evilexample.org:443",
      "packages.test.evil.net:443",
      "x.packages.test:443",
      "db.test:80",
    ];
    for (const target of reached) assert.equal(await kindOf(target, rules), "allow", target);
    for (const target of others) assert.equal(await kindOf(target, rules), "ask", target);
  });

  it("reach an address, and this machine by its name, only where they name it", async () => {
    const addresses = [
      "127.0.0.1:80",
      "[::1]:80",
      "10.0.0.1:80",
      "169.254.169.254:80",
      "localhost:80",
      "a.localhost:80",
    ];
    for (const target of [...addresses, "8.8.8.8:53"]) {
      assert.equal(await kindOf(target, allow("*", "*.0.0.1", "*.localhost")), "ask", target);
      assert.equal(await kindOf(target, allow(target)), "allow", target);
      assert.equal(await kindOf(target, [...allow(target), ...deny(target)]), "deny", target);
      assert.equal(await kindOf(target, deny("*")), "deny", target);
    }
    assert.equal(await kindOf("example.org:443", allow("*")), "allow");
  });

  it("give way to narrower ones; of equals, deny comes before ask before allow", async () => {
    const all = [...allow("a.test"), ...ask("a.test"), ...deny("a.test")];
    assert.equal(await kindOf("a.test:1", all), "deny");
    assert.equal(await kindOf("a.test:1", all.slice(0, 2)), "ask");
    assert.equal(await kindOf("b.a.test:1", [...deny("*.a.test"), ...allow("b.a.test")]), "allow");
    assert.equal(await kindOf("b.a.test:1", [...allow("*.a.test"), ...ask("b.a.test")]), "ask");
    assert.equal(await kindOf("b.a.test:1", [...allow("b.a.test"), ...deny("b.a.test:1")]), "deny");
  });

  it("of an agent only narrow", async () => {
    assert.equal(await kindOf("a.test:1", allow("a.test"), deny("*")), "deny");
    assert.equal(await kindOf("a.test:1", deny("a.test"), ask("a.test")), "deny");
  });

  it("are the only ones that open the network, and open nothing else", async () => {
    assert.equal(await kindOf("a.test:1", [{ decision: "allow" }, { decision: "allow", tool: "run_command" }]), "ask");
    assert.equal(await kindOf("a.test:1", [{ decision: "deny" }]), "deny");
    assert.equal((await ruling("curl a.test", { rules: allow("a.test", "*") })).kind, "ask");
  });

  it("say which one it was", async () => {
    assert.deepEqual(await said("a.test:1", allow("a.test")), { kind: "allow", rule: "allow: host a.test" });
    assert.deepEqual(await said("a.test:1", deny("a.test")), {
      kind: "deny",
      why: "Denied by the rule “deny: host a.test”.",
    });
    assert.deepEqual(await said("a.test:1", ask("*")), { kind: "ask", why: "The rule “ask: host *” asks." });
  });
});

describe("Rules that are offered for a host", () => {
  const offered = async (target: string): Promise<readonly string[]> => {
    const given = await said(target, []);
    return given.kind === "ask" ? (given.offers ?? []).map((rules) => rules.map(ruleText).join(", ")) : [];
  };
  const names: Readonly<Record<string, readonly string[]>> = {
    "registry.example.org:443": ["registry.example.org", "*.example.org"],
    "registry.example.org:8443": ["registry.example.org:8443", "*.example.org:8443"],
    "example.org:80": ["example.org"],
    "intranet:80": ["intranet"],
    "a.co.uk:443": ["a.co.uk"],
    "www.a.co.uk:443": ["www.a.co.uk", "*.a.co.uk"],
    "somebody.github.io:443": ["somebody.github.io"],
    "bucket.s3.amazonaws.com:443": ["bucket.s3.amazonaws.com"],
    "10.0.0.7:5432": ["10.0.0.7:5432"],
    "[fd00::1]:443": ["[fd00::1]:443"],
    "8.8.8.8:443": ["8.8.8.8:443"],
  };
  for (const [target, hosts] of Object.entries(names))
    it(`for ${target} are ${hosts.join(" and ")}`, async () => {
      assert.deepEqual(
        await offered(target),
        hosts.map((host) => `allow: host ${host}`),
      );
    });

  it("would each have allowed it", async () => {
    for (const target of Object.keys(names)) {
      const given = await said(target, []);
      for (const rules of given.kind === "ask" ? (given.offers ?? []) : [])
        assert.equal(await kindOf(target, rules), "allow", target);
    }
  });

  it("are none where a rule was written to ask", async () => {
    const given = await said("a.test:1", ask("a.test"));
    assert.ok(given.kind === "ask" && given.offers === undefined);
  });
});
