/** Random query options for any resource, valid or damaged, and random text for paths. */
import fc from 'fast-check';
import { print } from '@cloudfit/contract/query/print.ts';
import { anyCondition } from '@cloudfit/contract/query/testing/random.ts';
import type { Field, Kind, Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Chance } from './chance.ts';
import { anyText, literal, type Ids } from './values.ts';

const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
const broken = [
  "'",
  '(',
  ')',
  '/',
  ',',
  ' ',
  '$',
  '@',
  ':',
  'eq',
  'not',
  'null',
  '%',
  '\\',
  ';',
  '=',
  '\u0000',
  '1e999',
  'any(',
  '()',
] as const;

/** Generates random filters of the query tests, as text; they name fields of the sample resource. */
function sampleTrees(seed: number, count: number): string[] {
  return fc.sample(anyCondition, { numRuns: count, seed }).map((tree) => print(tree));
}

/** Fields of the sample resource, the kinds of fields that replace them, and a literal for a resource without such a field. */
const standIns: readonly [RegExp, readonly Kind[], string][] = [
  [/\b(?:owner\/(?:parent\/)?)?(?:name|note|city)\b/g, ['text'], "'x'"],
  [/\b(?:size|total)\b/g, ['int', 'bigint'], '7'],
  [/\bratio\b/g, ['decimal', 'int'], '1.5'],
  [/\b(?:active|flag)\b/g, ['boolean'], 'true'],
  [/\bmade\b/g, ['timestamp'], '2026-01-01T00:00:00Z'],
  [/\bspan\b/g, ['time'], "duration'PT1S'"],
  [/\bownerId\b/g, ['guid'], '00000000-0000-0000-0000-000000000000'],
];

export class Queries {
  readonly #c: Chance;
  readonly #ids: Ids;
  readonly #trees: readonly string[];

  constructor(c: Chance, ids: Ids, seed: number) {
    this.#c = c;
    this.#ids = ids;
    this.#trees = sampleTrees(seed, 2_000);
  }

  /** Generates a query string with up to three options, sometimes one of them twice; some values are not URL-encoded. */
  of(r: Resource): string {
    const c = this.#c;
    const parts = c.times(3, () => this.#option(r));
    if (c.once(40)) parts.push(parts[0] ?? '$top=1');
    return parts.join('&');
  }

  #option(r: Resource): string {
    const c = this.#c;
    const name = (text: string): string => (c.once(8) ? text.slice(1) : c.once(10) ? text.toUpperCase() : text);
    switch (c.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return `${name('$filter')}=${this.#encode(this.#damaged(this.condition(r, 0)))}`;
      case 5:
        return `${name('$filter')}=${this.#encode(this.#damaged(this.#fromTree(r)))}`;
      case 6:
      case 7:
        return `${name('$orderby')}=${this.#encode(this.#damaged(this.#keys(r)))}`;
      case 8:
        return `${name('$select')}=${this.#encode(this.#damaged([...c.times(4, () => this.#field(r)[0]), '*'].join(',')))}`;
      case 9:
      case 10:
        return `${name('$expand')}=${this.#encode(this.#damaged(this.#expand(r, 0)))}`;
      case 11:
        return `${name('$apply')}=${this.#encode(this.#damaged(this.#apply(r)))}`;
      case 12:
        return `$top=${c.pick(['0', '1', '5', '1000', '1001', '-1', 'x', '99999999999'])}`;
      case 13:
        return `$skip=${c.pick(['0', '1', '5', '100000', '100001', '-1', '1.5'])}`;
      case 14:
        return `$count=${c.pick(['true', 'false', 'TRUE', '1'])}`;
      default:
        return `${c.pick(['$format=json', '$format=xml', '$search=x', '$compute=1 as x', '@p=1', 'tenantId=x', '$nothing=1', '=', '$filter', '%', '&&', '$skiptoken=1'])}`;
    }
  }

  #encode(text: string): string {
    return this.#c.once(6) ? text.replaceAll('#', '%23') : encodeURIComponent(text.toWellFormed());
  }

  /** Returns the text, in one of five cases with a random change. */
  #damaged(text: string): string {
    const c = this.#c;
    if (!c.once(5)) return text;
    const at = c.below(text.length + 1);
    switch (c.below(4)) {
      case 0:
        return text.slice(0, at) + text.slice(at + 1 + c.below(4));
      case 1:
        return text.slice(0, at) + (c.some(broken) ?? '') + text.slice(at);
      case 2:
        return text.slice(0, at) + text.slice(at).toUpperCase();
      default:
        return `${'('.repeat(c.pick([1, 3, 40]))}${text}${c.once(2) ? ')' : ''}`;
    }
  }

  #field(r: Resource): [string, Field] {
    const all = Object.entries(r.fields);
    const entry = this.#c.some(all);
    if (!entry) throw new Error(`${r.name} has no fields.`);
    return entry;
  }

  #relation(r: Resource, many: boolean): [string, Resource] | undefined {
    const entry = this.#c.some(Object.entries(r.relations).filter(([, relation]) => relation.many === many));
    return entry && [entry[0], requireResource(entry[1].to)];
  }

  condition(r: Resource, depth: number, prefix = ''): string {
    const c = this.#c;
    const inner = (): string => this.condition(r, depth + 1, prefix);
    switch (c.below(depth > 3 ? 6 : 12)) {
      case 6:
        return `(${inner()}) ${c.pick(['and', 'or'])} (${inner()})`;
      case 7:
        return `not (${inner()})`;
      case 8: {
        const many = this.#relation(r, true);
        if (!many) return this.#comparison(r, prefix);
        const variable = c.pick(['x', 'y', '$it', 'name']);
        return c.once(3)
          ? `${prefix}${many[0]}/$count ${c.pick(operators)} ${c.below(3)}`
          : `${prefix}${many[0]}/${c.pick(['any', 'all'])}(${variable}:${this.condition(many[1], depth + 2, `${variable}/`)})`;
      }
      case 9: {
        const one = this.#relation(r, false);
        return one ? this.condition(one[1], depth + 1, `${prefix}${one[0]}/`) : this.#comparison(r, prefix);
      }
      default:
        return this.#comparison(r, prefix);
    }
  }

  #comparison(r: Resource, prefix: string): string {
    const c = this.#c;
    const [name, field] = this.#field(r);
    const path = prefix + name;
    const value = (): string => literal(c, field, this.#ids);
    if (c.once(5)) return `${path} in (${[value(), ...c.times(3, value)].join(',')})`;
    if (field.kind === 'text' && c.once(2)) {
      const side = c.pick([path, `tolower(${path})`, `trim(${path})`, `concat(${path},${path})`, `substring(${path},${c.below(9) - 2})`]);
      return c.once(3)
        ? `${c.pick(['length', 'indexof', 'year'])}(${side}) ${c.pick(operators)} ${c.below(9)}`
        : `${c.pick(['contains', 'startswith', 'endswith'])}(${side},${value()})`;
    }
    if (field.kind === 'timestamp' && c.once(2))
      return `${c.pick(['year', 'month', 'day', 'hour', 'date', 'time'])}(${path}) ${c.pick(operators)} ${c.pick(['1', '2026', '2026-01-01', '10:00:00'])}`;
    if ((field.kind === 'int' || field.kind === 'bigint') && c.once(2))
      return `${path} ${c.pick(['add', 'sub', 'mul', 'div', 'divby', 'mod'])} ${c.pick(['0', '1', '-7', '9223372036854775807', '0.5'])} ${c.pick(operators)} ${value()}`;
    return `${path} ${c.pick(operators)} ${c.once(8) ? prefix + this.#field(r)[0] : value()}`;
  }

  #fromTree(r: Resource): string {
    let text = this.#c.some(this.#trees) ?? 'true';
    for (const [pattern, kinds, otherwise] of standIns) {
      const fitting = Object.entries(r.fields).filter(([, field]) => field.filter && kinds.includes(field.kind));
      text = text.replaceAll(pattern, () => this.#c.some(fitting)?.[0] ?? otherwise);
    }
    return text;
  }

  #keys(r: Resource): string {
    const c = this.#c;
    const one = this.#relation(r, false);
    const key = (): string => (one && c.once(4) ? `${one[0]}/${this.#field(one[1])[0]}` : this.#field(r)[0]);
    return [key(), ...c.times(5, key)].map((k) => `${k}${c.pick(['', ' asc', ' desc', ' x'])}`).join(',');
  }

  #expand(r: Resource, depth: number): string {
    const c = this.#c;
    const item = (): string => {
      const entry = this.#relation(r, c.once(2)) ?? this.#relation(r, false) ?? this.#relation(r, true);
      if (!entry) return this.#field(r)[0];
      const [name, target] = entry;
      const options = c.times(depth > 3 ? 0 : 3, () =>
        c.pick([
          `$filter=${this.condition(target, 2)}`,
          `$select=${this.#field(target)[0]}`,
          `$orderby=${this.#keys(target)}`,
          `$top=${c.below(5)}`,
          '$count=true',
          '$levels=2',
          `$expand=${depth > 2 ? 'tenant' : this.#expand(target, depth + 1)}`,
        ]),
      );
      return options.length > 0 ? `${name}(${options.join(';')})` : name;
    };
    return [item(), ...c.times(2, item)].join(',');
  }

  #apply(r: Resource): string {
    const c = this.#c;
    const key = (): string => {
      const one = this.#relation(r, false);
      return one && c.once(2) ? `${one[0]}/${this.#field(one[1])[0]}` : this.#field(r)[0];
    };
    const aggregate = (): string =>
      c.once(2)
        ? '$count as n'
        : `${this.#field(r)[0]} with ${c.pick(['sum', 'min', 'max', 'average', 'countdistinct', 'first'])} as m${c.below(3)}`;
    const step = (): string =>
      c.pick([
        `filter(${this.condition(r, 2)})`,
        `groupby((${[key(), ...c.times(3, key)].join(',')}))`,
        `groupby((${key()}),aggregate(${[aggregate(), ...c.times(2, aggregate)].join(',')}))`,
        `aggregate(${aggregate()})`,
        `compute(${this.#field(r)[0]} add 1 as x)`,
        `orderby(${this.#keys(r)})`,
        'top(2)',
        'skip(1)',
        'concat(aggregate($count as n),identity)',
      ]);
    return [step(), ...c.times(2, step)].join('/');
  }

  /** Generates an arbitrary text, URL-encoded. */
  noise(): string {
    return encodeURIComponent(anyText(this.#c).toWellFormed());
  }
}
