/** Images and files in the notes of a work unit. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { permission, viewMine } from '../../permissions.ts';
import { guidSchema } from '../../resource.ts';

export const addFileOfWorkUnit = defineAction({
  name: 'addFileOfWorkUnit',
  method: 'POST',
  path: '/v1/workunits/{id}/files',
  access: { anyOf: [permission('WorkUnits', 'edit'), viewMine] },
  about:
    'Multipart: `file-1`, an image, PDF, text or archive for a note of a unit that the caller may edit, or of their own request. The text of a note refers to it as `![name](file:{id})`, or without `!` if it is no image.',
  input: z.object({ id: z.coerce.number().int().positive() }),
  output: z.object({ id: guidSchema, name: z.string(), size: z.number(), isImage: z.boolean() }),
});

export const deleteFileOfWorkUnit = defineAction({
  name: 'deleteFileOfWorkUnit',
  method: 'DELETE',
  path: '/v1/workunits/files/{id}',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Deletes the content of a file of a note, for its author, or for people who may delete work units. Its notes stay, and reading it says who deleted it.',
  input: z.object({ id: guidSchema }),
});

export const fileOfWorkUnit = defineAction({
  name: 'fileOfWorkUnit',
  method: 'GET',
  path: '/v1/workunits/files/{id}',
  access: { anyOf: [permission('WorkUnits', 'view'), viewMine] },
  about:
    'A file of a work unit that the caller may view; of their own request, one that a customer has sent, or that a note to them names. `small` asks for the small form of an image: 404 for other files.',
  input: z.object({ id: guidSchema, small: z.optional(z.enum(['true', 'false'])) }),
  content: 'application/octet-stream',
});
