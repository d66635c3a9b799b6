import { BlockList, isIP } from 'node:net';

const networks: readonly (readonly [net: string, bits: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 127, 'ipv6'],
  // IPv4 through NAT64. A mapped address (`::ffff:10.0.0.1`) is compared as IPv4.
  ['64:ff9b::', 96, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

const list = new BlockList();
for (const [net, bits, family] of networks) list.addSubnet(net, bits, family);

/** Returns true for an IP address of the host itself or of a network that is not the public Internet. */
export const isPrivateAddress = (address: string): boolean => {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
};
