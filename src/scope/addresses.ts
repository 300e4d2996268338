// Which addresses are nobody's business: this machine, what is near it, and where clouds keep a machine's credentials.
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

type Subnet = readonly [string, number];

/** This machine, its link, every machine at once, and nobody. Clouds answer for a machine's credentials on its link. */
const own: readonly Subnet[] = [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.0", 24],
  ["224.0.0.0", 3],
  ["::", 127],
  ["fe80::", 10],
  ["fd00:ec2::", 32],
  ["ff00::", 8],
];

/** Networks of a house or a company, and addresses that lead to one of version 4 whatever it is. */
const inside: readonly Subnet[] = [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["fc00::", 7],
  ["fec0::", 10],
  ["64:ff9b::", 32],
  ["2002::", 16],
  ["2001::", 32],
];

/** Where an address leads: to this `machine`, into a network that is not the world's, or into the `world`. */
export type Reach = "machine" | "inside" | "world";

/** @param address of version 4 or 6, without brackets; what is none leads to this machine */
export function reachOf(address: string): Reach {
  const family = isIP(address) === 4 ? "ipv4" : "ipv6";
  if (isIP(address) === 0 || machines().check(address, family)) return "machine";
  return insides.check(address, family) ? "inside" : "world";
}

const insides = listOf(inside);

/** Interfaces come and go. */
function machines(): BlockList {
  const list = listOf(own);
  const there = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  for (const { address, family } of there) list.addAddress(address, family === "IPv4" ? "ipv4" : "ipv6");
  return list;
}

function listOf(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, isIP(address) === 4 ? "ipv4" : "ipv6");
  return list;
}
