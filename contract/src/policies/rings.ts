/** The rings, the gate and the pause of work on many devices, as calls take them. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';

const shareText = 'A share is more than 0 and less than 100 percent.';

/** The devices in none of these rings are one more ring, the last. */
const rings = z
  .array(
    z
      .object({
        share: z.optional(z.number().gt(0, shareText).lt(100, shareText)),
        filter: z.optional(z.string().min(1).max(limits.filterLength)),
      })
      .refine(({ share, filter }) => (share === undefined) !== (filter === undefined), 'A ring has a share or a filter.'),
  )
  .min(1, 'Name at least one ring before the last.')
  .max(9, 'A campaign has at most 10 rings.');

export type AskedRings = z.infer<typeof rings>;

export const ringFields = {
  rings: z.optional(rings),
  gate: z.optional(
    z.object({
      minShare: z.int().min(1).max(100).default(95),
      ruleIds: z.array(guidSchema).max(50).default([]),
      heartbeat: z.boolean().default(false),
    }),
  ),
  pauseMinutes: z.optional(z.int().min(0).max(10_080, 'A pause is at most 10,080 minutes, which are 7 days.')),
};

/** Shares are cumulative, so each is larger than the one before. */
export function checkShares(sent: AskedRings | undefined, context: z.RefinementCtx): void {
  const shares = (sent ?? []).flatMap((ring) => (ring.share === undefined ? [] : [ring.share]));
  if (shares.some((share, at) => share <= (shares[at - 1] ?? 0)))
    context.addIssue({
      code: 'custom',
      path: ['rings'],
      message: 'The share of a ring includes the rings before it, so it must be larger than the share of the ring before.',
    });
}
