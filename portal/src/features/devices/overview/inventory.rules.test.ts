import { expect, it } from 'vitest';
import { inventoryOf } from './inventory.rules.ts';

it('reads facts in the order in which people look for them, addresses without those of the link, and programs', () => {
  const inventory = inventoryOf({
    States: { RunStatus: 'Success', Kernel: '6.1', OperatingSystem: 'Debian 12', Manufacturer: '' },
    Metrics: { Processors: 4, MemoryBytes: 8_000 },
    Diagnostics: {
      addresses: [{ address: '192.0.2.7' }, { address: 'fe80::1' }],
      software: [['bash', '5.2'], ['vim', null], 'x'],
    },
  });
  expect(inventory).toEqual({
    facts: [
      ['OperatingSystem', 'Debian 12'],
      ['Kernel', '6.1'],
    ],
    processors: 4,
    memoryBytes: 8_000,
    addresses: ['192.0.2.7'],
    software: [
      { name: 'bash', version: '5.2' },
      { name: 'vim', version: '' },
    ],
  });
});
