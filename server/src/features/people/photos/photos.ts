/** The stored photos of people: a person's own photo, or that of their identity provider until they choose one. */
import { createHash } from 'node:crypto';
import { recordAboutPerson } from '../../../auth/audit-entry.ts';
import { isVisibleTo } from '../../../auth/people-names.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import type { PhotoFile } from './photo-file.ts';

export interface StoredPhoto extends PhotoFile {
  /** SHA-256 of the content. */
  digest: string;
}

/** The photo of somebody whom the caller may see; undefined without one. */
export async function photoOf(ctx: Ctx, personId: string): Promise<StoredPhoto | undefined> {
  const [row] = await ctx.db.query<{ photo: string | null; content: Buffer | null; content_type: string | null }>({
    name: 'photo-of-person',
    text: `select p.photo, h.content, h.content_type from person p join person_photo h using (person_id)
      where p.person_id = $1 and ${isVisibleTo}`,
    values: [personId, ctx.tenants === 'all' ? null : [...ctx.tenants], ctx.actor.kind === 'person' ? ctx.actor.id : null],
  });
  if (!row?.photo || !row.content || !row.content_type) return undefined;
  return { digest: row.photo, content: row.content, contentType: row.content_type };
}

// A photo from the provider does not replace a photo that the person has chosen.
const store = `insert into person_photo as h (person_id, is_own, content_type, content) values ($1, $2, $3, $4)
  on conflict (person_id) do update set is_own = excluded.is_own, content_type = excluded.content_type, content = excluded.content
  where excluded.is_own or not h.is_own returning 1`;

/**
 * Stores the photo of a person (undefined: none) and audits it. A photo of the provider (`isOwn` false) is stored only while
 * the person has not chosen one. Returns the digest of the photo that is used from now on.
 */
export function storePhoto(outer: Ctx, personId: string, photo: PhotoFile | undefined, isOwn: boolean): Promise<string | null> {
  const digest = photo ? createHash('sha256').update(photo.content).digest('hex') : null;
  return inTransaction(outer, async (ctx) => {
    // Serialises two changes of the same photo.
    const [before] = await ctx.db.query<{ photo: string | null }>({
      text: 'select photo from person where person_id = $1 for no key update',
      values: [personId],
    });
    if (!before) return null;
    const stored = await ctx.db.query({ text: store, values: [personId, isOwn, photo?.contentType ?? null, photo?.content ?? null] });
    if (stored.length === 0 || before.photo === digest) return before.photo;
    await ctx.db.query({ text: 'update person set photo = $2 where person_id = $1', values: [personId, digest] });
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'update',
      entity: 'people',
      entityId: personId,
      before: { photo: before.photo },
      after: { photo: digest },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return digest;
  });
}
