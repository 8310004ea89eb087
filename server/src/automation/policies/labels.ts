/** What people call the things that policies set. */
import type { ItemValue } from '@cloudfit/contract/policies/effective.ts';
import type { Db } from '../../db/db.ts';

const names = 'select package_id as id, name from package where package_id = any($1::uuid[])';

/** The labels of things by key. */
export async function labelsOf(db: Db, things: readonly (ItemValue & { key: string })[]): Promise<Map<string, string>> {
  const ids = things.flatMap((thing) => (thing.kind === 'Package' ? thing.of.packageId : []));
  const rows =
    ids.length === 0 ? [] : await db.query<{ id: string; name: string }>({ name: 'policy-package-names', text: names, values: [ids] });
  const packages = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(
    things.map((thing) => {
      switch (thing.kind) {
        case 'Operation':
        case 'OtherOperation':
          return [thing.key, thing.of.label];
        case 'Package':
          return [thing.key, packages.get(thing.of.packageId) ?? 'Package'];
        case 'Tag':
          return [thing.key, thing.of];
        case 'Heartbeat':
          return [thing.key, 'Heartbeat'];
        case 'RuleValue':
          return [thing.key, thing.of.name];
      }
    }),
  );
}
