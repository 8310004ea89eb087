/** Sets and removes photos: people their own, administrators those of others. */
import { removePhotoOfPerson } from '@cloudfit/contract/actions/people.ts';
import { changeOwnPhoto, removeOwnPhoto } from '@cloudfit/contract/actions/session.ts';
import { forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { requirePermission, type Ctx } from '../../../context/ctx.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { servedPeople } from '../people.served.ts';
import { readPhoto } from './photo-file.ts';
import { storePhoto } from './photos.ts';

function ownId({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have photos; sign in as a person.');
  return actor.id;
}

const change = implement(changeOwnPhoto, async (ctx, { content }) => {
  const personId = ownId(ctx);
  const photo = readPhoto(Buffer.from(content, 'base64'));
  if (typeof photo === 'string') throw validationFailed([{ target: 'content', message: photo }]);
  return { photo: (await storePhoto(ctx, personId, photo, true)) ?? '' };
});

const remove = implement(removeOwnPhoto, async (ctx) => {
  await storePhoto(ctx, ownId(ctx), undefined, true);
});

/** People belong to no tenant, so this needs the permission in all tenants. */
const removeOfPerson = implement(removePhotoOfPerson, async (ctx, { id }) => {
  const { personId } = await get(ctx, servedPeople, id);
  requirePermission(ctx, 'People', 'edit', null);
  await storePhoto(ctx, personId, undefined, true);
});

export const photoActions: readonly Implemented[] = [change, remove, removeOfPerson];
