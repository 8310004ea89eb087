/**
 * Downloads the photos of people to which their identity provider refers: once per address, and again after a week and a
 * sign-in.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { readPhoto } from '../../features/people/photos/photo-file.ts';
import { storePhoto } from '../../features/people/photos/photos.ts';
import { defineJob, requireCallSlot, type Job } from '../../jobs/job.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/circuit-breaker.ts';
import { originOf, type OutboundHttp } from '../../outbound/http.ts';
import { squarePhoto } from './square-photo.ts';

const jobName = 'fetch-picture';
const atOnce = 100;

// The jobs are queued in the transaction that sets `picture_tried`, so only one server fetches each address.
const take = `with due as (
  select p.person_id from person p left join person_photo h using (person_id)
  where p.picture is not null and p.enabled and h.is_own is not true
    and (p.picture_tried is distinct from p.picture or p.picture_tried_on < now() - interval '7 days' and p.last_sign_in > p.picture_tried_on)
  order by p.picture_tried_on nulls first limit ${atOnce} for no key update of p skip locked
)
update person p set picture_tried = p.picture, picture_tried_on = now() from due where p.person_id = due.person_id returning p.person_id as id`;

/** Queues the download of each photo whose address is new, or was tried before the last sign-in and more than a week ago. */
export const photosWork: Periodic = {
  name: 'pictures-of-people',
  everyMs: 30_000,
  run: async (db) => {
    for (let took = atOnce; took === atOnce;) {
      took = await db.transaction(async (tx) => {
        const people = await tx.query<{ id: string }>({ name: 'pictures-due', text: take });
        await enqueueAll(
          tx,
          people.map(({ id }) => ({
            name: jobName,
            payload: { personId: id },
            tenantId: null,
            correlationId: randomUUID(),
            onceKey: `${jobName} ${id}`,
          })),
        );
        return people.length;
      });
    }
  },
};

/** Thrown when another try would get the same answer. */
class NoPhoto extends Error {}

async function fetchPhoto(http: OutboundHttp, url: string) {
  const answer = await http.send({ url, method: 'GET', headers: { accept: 'image/*' }, messageId: randomUUID(), keepsBytes: true });
  if (answer.status >= 500 || answer.status === 429) throw new OutboundFailed(`The receiver answered ${answer.status}.`);
  if (answer.status !== 200) throw new NoPhoto(`The receiver answered ${answer.status}.`);
  if (answer.truncated || !answer.bytes) throw new NoPhoto('The photo is larger than 1 MiB.');
  const photo = await readPhoto(answer.bytes);
  if (typeof photo === 'string') throw new NoPhoto(photo);
  return squarePhoto(photo).catch((error: unknown) => {
    throw new NoPhoto(`The photo cannot be read: ${messageOf(error)}`);
  });
}

async function tell(ctx: Ctx, personId: string, problem: string | null): Promise<void> {
  if (problem !== null) ctx.log.warn({ personId, problem }, 'the photo of the identity provider was not used');
  await ctx.db.query({
    text: 'update person set picture_problem = left($2, 500) where person_id = $1 and picture_problem is distinct from left($2, 500)',
    values: [personId, problem],
  });
}

/** The job that downloads one photo. `http` calls only public addresses and those of the allow list of the operator. */
export function fetchPhotoJob(http: OutboundHttp): Job {
  return defineJob({
    name: jobName,
    schema: z.object({ personId: z.uuid() }),
    run: async (ctx, { personId }, attempt) => {
      const [person] = await ctx.db.query<{ picture: string | null }>({
        text: 'select picture from person where person_id = $1',
        values: [personId],
      });
      if (!person?.picture) return;
      try {
        await requireCallSlot(attempt, originOf(person.picture));
        await storePhoto(ctx, personId, await fetchPhoto(http, person.picture), false);
        await tell(ctx, personId, null);
      } catch (error) {
        const isFinal = error instanceof NoPhoto || error instanceof OutboundRefused || (error instanceof OutboundFailed && attempt.last);
        if (!isFinal) throw error;
        await tell(ctx, personId, messageOf(error));
      }
    },
  });
}
