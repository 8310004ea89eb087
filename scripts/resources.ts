/** `npm run resources`: prints every entity with its calls, their permissions, its key, query fields and relations. */
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Resource, Verb } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';

const calls: Record<Verb, (resource: Resource) => [call: string, needs: string]> = {
  list: ({ name, area }) => [`GET /v1/${name}`, permission(area, 'view')],
  create: ({ name, area }) => [`PUT /v1/${name}`, permission(area, 'create')],
  update: ({ name, area }) => [`POST /v1/${name}/{id}`, permission(area, 'edit')],
  delete: ({ name, area }) => [`DELETE /v1/${name}/{id}`, permission(area, 'delete')],
};

function describe(resource: Resource): string[] {
  const fields = Object.entries(resource.fields);
  const names = (use: 'search' | 'filter' | 'sort') => fields.filter(([, field]) => field[use]).map(([name]) => name);
  const filters = names('filter');
  const sorts = names('sort');
  const scope = resource.scope.kind === 'installation' ? 'the installation' : `${resource.scope.kind} by ${resource.scope.field}`;
  const rows: [string, string][] = [
    ...resource.verbs.map((verb): [string, string] => calls[verb](resource)),
    ['key', resource.key],
    ['scope', scope],
    ['default sort', resource.orderBy],
    ['search', names('search').join(', ')],
    ['filter', filters.join(', ')],
    ['sort', sorts.join(', ') === filters.join(', ') ? 'as filter' : sorts.join(', ')],
    ...Object.entries(resource.relations).map(([name, r]): [string, string] => [
      `expand ${name}`,
      `${r.many ? 'many' : 'one'} ${r.to}, ${r.from} = ${r.on}`,
    ]),
  ];
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `${resource.plural} (${resource.name}, ${fields.length} fields)`,
    ...rows.filter(([, right]) => right).map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
  ];
}

console.log(resources.flatMap(describe).join('\n'));
console.log(`${resources.length} entities, ${resources.reduce((sum, { verbs }) => sum + verbs.length, 0)} calls`);
