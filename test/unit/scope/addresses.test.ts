// Where addresses lead: to this machine, into a network nearby, or into the world.
import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { reachOf, type Reach } from "../../../src/scope/addresses.ts";

const addresses: Readonly<Record<Reach, string>> = {
  machine: `0.0.0.0 127.0.0.1 127.255.255.254 169.254.169.254 169.254.1.1 100.100.100.200 168.63.129.16 224.0.0.1
    255.255.255.255 :: ::1 fe80::1 ff02::1 fd00:ec2::254 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254
    localhost example.org`,
  inside: `10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 fc00::1 fdff::1
    ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1::`,
  world: "1.1.1.1 8.8.8.8 172.32.0.1 172.15.0.1 192.167.0.1 11.0.0.1 126.0.0.1 2606:4700::1111 ::ffff:8.8.8.8",
};

describe("Where an address leads", () => {
  for (const reach of ["machine", "inside", "world"] as const)
    it(`is ${reach} for those that are there`, () => {
      const wrong = addresses[reach]
        .trim()
        .split(/\s+/)
        .filter((address) => reachOf(address) !== reach);
      assert.deepEqual(wrong, []);
    });

  it("is this machine for each of its own addresses", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    assert.deepEqual(
      own.filter((address) => reachOf(address) !== "machine"),
      [],
    );
  });
});
