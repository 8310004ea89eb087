/** Sets and removes photos: people change their own photo, administrators may remove the photos of other people. */
import { removePhotoOfPerson } from '@cloudfit/contract/actions/people.ts';
import { changeOwnPhoto, removeOwnPhoto } from '@cloudfit/contract/actions/session.ts';
import { forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { personToEdit } from '../person-to-edit.ts';
import { readPhoto } from './photo-file.ts';
import { storePhoto } from './photos.ts';

function ownId({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have photos; sign in as a person.');
  return actor.id;
}

const change = implement(changeOwnPhoto, async (ctx, { content }) => {
  const personId = ownId(ctx);
  const photo = await readPhoto(Buffer.from(content, 'base64'));
  if (typeof photo === 'string') throw validationFailed([{ target: 'content', message: photo }]);
  return { photo: (await storePhoto(ctx, personId, photo, true)) ?? '' };
});

const remove = implement(removeOwnPhoto, async (ctx) => {
  await storePhoto(ctx, ownId(ctx), undefined, true);
});

const removeOfPerson = implement(removePhotoOfPerson, async (ctx, { id }) => {
  await storePhoto(ctx, await personToEdit(ctx, id), undefined, true);
});

export const photoActions: readonly ImplementedAction[] = [change, remove, removeOfPerson];
