/** A prepared statement has one text per name, so statements get other names while a mutant is active. */
import pg from 'pg';

const original = Reflect.get(pg.Client.prototype, 'query') as (this: pg.Client, ...args: unknown[]) => unknown;

Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, statement: unknown, ...rest: unknown[]): unknown {
  const { active } = globalThis.__mutation;
  const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement;
  const renamed = isNamed && active >= 0 ? { ...statement, name: `${String(statement.name)} ${active}` } : statement;
  return Reflect.apply(original, this, [renamed, ...rest]);
});
