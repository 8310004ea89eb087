/** Writes below a row: new rows of a related list, and changes of its rows. They are written as at the address of their own set. */
import type { Relation, Resource } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { servedNamed, type AnyRow, type AnyServed } from '../../resources/served.ts';
import { unquoted } from '../address.ts';
import type { ApiAnswer, ApiRequest } from '../answer.ts';
import { relatedTo, requireMember } from './navigation.ts';
import { answerOnce } from '../repeat.ts';
import { answerCreate, answerRemove, answerUpdate } from '../row-answers.ts';

/** Whether rows can be created at the address of the related list. */
export function takesNewRows({ many, on }: Relation, target: Resource): boolean {
  return many && target.verbs.includes('create') && target.fields[on] !== undefined && target.fields[on].write !== 'never';
}

/** How a related list, or a row of it, is written: as its own set is. */
interface RelatedWrites {
  /** Of a related list, or of one of its rows. */
  methods: readonly WriteMethod[];
  answer: (ctx: Ctx, request: ApiRequest) => Promise<ApiAnswer>;
}

type WriteMethod = 'POST' | 'PATCH' | 'DELETE';

/**
 * Returns how the path below a row is written; undefined if it is no related list and no row of one. `isOffered`: whether the
 * engine answers this method at the address of the related set, which an action may have replaced.
 */
export function writesBelowRow(
  { resource }: AnyServed,
  key: string,
  [name = '', ...rest]: readonly string[],
  isOffered: (method: WriteMethod, address: string) => boolean,
): RelatedWrites | undefined {
  const relation = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined;
  if (!relation?.many) return undefined;
  const target = servedNamed(relation.to);
  const offered = (address: string, ...methods: readonly WriteMethod[]) => methods.filter((method) => isOffered(method, address));
  const set = `/v1/${target.resource.name}`;
  if (rest.length === 0) {
    if (!takesNewRows(relation, target.resource)) return undefined;
    return {
      methods: offered(set, 'POST'),
      answer: async (ctx, request) => {
        const row: AnyRow = await get(ctx, servedNamed(resource.name), key);
        const link = { field: relation.on, value: row[relation.from] };
        return answerOnce(ctx, request, (ctx) => answerCreate(ctx, target, request, link));
      },
    };
  }
  const [memberKey = '', ...more] = rest[0] === target.resource.key ? rest.slice(1) : rest;
  if (more.length > 0 || memberKey.startsWith('$')) return undefined;
  return {
    methods: offered(`${set}/:key`, 'POST', 'PATCH', 'DELETE'),
    answer: async (ctx, request) => {
      const row: AnyRow = await get(ctx, servedNamed(resource.name), key);
      await requireMember(ctx, target, relatedTo(target, relation.on, row[relation.from]), unquoted(memberKey));
      return request.method === 'DELETE'
        ? answerRemove(ctx, target, request, unquoted(memberKey))
        : answerUpdate(ctx, target, request, unquoted(memberKey));
    },
  };
}
