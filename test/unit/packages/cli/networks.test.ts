import { expect, it } from 'vitest';
import { chainOf, NETWORK_NAMES, unknownNetwork } from '../../../../packages/cli/src/networks.ts';
import { NETWORKS } from '../../../../src/network/networks.ts';

it('knows the networks of the service', () => {
  expect(NETWORK_NAMES.toSorted()).toEqual(NETWORKS.map(({ network }) => network).toSorted());
  for (const { network, chain } of NETWORKS) expect(chainOf(network)).toBe(chain);
});

it('suggests the network that a typo means', () => {
  expect(unknownNetwork('polygonMainet')).toBe('"polygonMainet" is not a network. Did you mean polygonMainnet?');
  expect(unknownNetwork('bitcoin')).toBe('"bitcoin" is not a network.');
});
