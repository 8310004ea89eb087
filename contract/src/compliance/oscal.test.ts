import { expect, it } from 'vitest';
import { fromOscal, oscalCatalog } from './oscal.ts';

const catalog = {
  catalog: {
    uuid: '74c8ba1e-5cd4-4ad1-bbfd-d888e2f6c724',
    metadata: { title: 'A catalog', version: '5.1.1', 'oscal-version': '1.1.2', 'last-modified': '2024-02-04T23:11:04Z' },
    groups: [
      {
        id: 'ac',
        class: 'family',
        title: 'Access Control',
        controls: [
          {
            id: 'ac-2',
            class: 'SP800-53',
            title: 'Account Management',
            params: [
              { id: 'ac-02_odp.01', label: 'time period' },
              {
                id: 'ac-02_odp.02',
                select: { 'how-many': 'one-or-more', choice: ['disable', 'remove within {{ insert: param, ac-02_odp.01 }}'] },
              },
              { id: 'ac-02_odp.03', values: ['30 days'] },
            ],
            props: [
              { name: 'label', class: 'zero-padded', value: 'AC-02' },
              { name: 'label', value: 'AC-2' },
            ],
            parts: [
              {
                id: 'ac-2_smt',
                name: 'statement',
                parts: [
                  { id: 'ac-2_smt.a', name: 'item', props: [{ name: 'label', value: 'a.' }], prose: 'Define accounts;' },
                  {
                    name: 'item',
                    props: [{ name: 'label', value: 'b.' }],
                    prose: '{{ insert: param, ac-02_odp.02 }} them after {{ insert: param, ac-02_odp.03 }}:',
                    parts: [{ name: 'item', props: [{ name: 'label', value: '1.' }], prose: 'Always.' }],
                  },
                ],
              },
              { id: 'ac-2_gdn', name: 'guidance', prose: 'Not a part of the statement.' },
            ],
            controls: [
              { id: 'ac-2.1', title: 'Automated Management', props: [{ name: 'label', value: 'AC-2(1)' }] },
              { id: 'ac-2.10', title: 'Gone', props: [{ name: 'status', value: 'withdrawn' }] },
            ],
          },
        ],
        groups: [{ title: 'Below', controls: [{ id: 'ac-3', title: 'Access Enforcement' }] }],
      },
    ],
    controls: [{ id: 'pm-1', title: 'Outside of groups' }],
  },
};

it('reads groups and enhancements in their order, without withdrawn ones', () => {
  const set = fromOscal(oscalCatalog.parse(catalog));
  expect(set).toMatchObject({ name: 'A catalog', description: 'OSCAL catalog, version 5.1.1' });
  expect(set.controls.map((control) => control.name)).toEqual(['AC-3', 'AC-2', 'AC-2(1)', 'PM-1']);
});

it('writes statements with labels and parameters as the catalogs print them', () => {
  const control = fromOscal(oscalCatalog.parse(catalog)).controls.find((control) => control.name === 'AC-2');
  expect(control).toEqual({
    name: 'AC-2',
    title: 'Account Management',
    description:
      'a. Define accounts;\nb. [Selection (one or more): disable; remove within [Assignment: time period]] them after 30 days:\n  1. Always.',
  });
});

it.each([
  ['Types of [AC-2a.](#ac-2_smt.a) only', 'Types of AC-2a. only'],
  ['As in [](#ac-2_smt.a) and [](#ac-2); not [](#gone)', 'As in AC-2a. and AC-2; not gone'],
  [
    'See [the guide](https://example.com/g) or [https://example.com/h](https://example.com/h)',
    'See the guide (https://example.com/g) or https://example.com/h',
  ],
  ['{{ insert: param, pm_1 }}', '[Selection (one): A; B]'],
  ['{{ insert: param, pm_2 }}', '[Selection: C]'],
  ['{{ insert: param, pm_3 }}', '[Assignment: types of AC-2a.]'],
])('writes %s as %s', (prose, text) => {
  const { metadata, uuid, groups } = catalog.catalog;
  const params = [
    { id: 'pm_1', select: { 'how-many': 'one', choice: ['A', 'B'] } },
    { id: 'pm_2', select: { choice: ['C'] } },
    { id: 'pm_3', label: 'types of [AC-2a.](#ac-2_smt.a)' },
  ];
  const controls = [{ id: 'pm-1', title: 'One', params, parts: [{ name: 'statement', prose }] }];
  const set = fromOscal(oscalCatalog.parse({ catalog: { uuid, metadata, groups, controls } }));
  expect(set.controls.find((control) => control.name === 'PM-1')?.description).toBe(text);
});

it('refuses what is no catalog', () => {
  for (const value of [{}, { catalog: { uuid: 'x' } }, { catalog: { uuid: 'x', metadata: { title: 't' }, controls: [{ id: 1 }] } }])
    expect(oscalCatalog.safeParse(value).success).toBe(false);
});
