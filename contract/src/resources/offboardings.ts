import { z } from 'zod/mini';
import { offboardingStates, type OffboardingFigures } from '../customers/steps.ts';
import { defineResource, f, optional } from '../resource.ts';

const never = { write: 'never' } as const;

/** How a customer ends: steps with what each did, and at the end the proof of the deletion, which stays. */
export const offboardings = defineResource({
  name: 'offboardings',
  label: 'Offboarding',
  plural: 'Offboardings',
  about:
    'How a customer ends: machines cut off, access ended, data exported as one archive, deleted after a date. Afterwards it is the proof of the deletion.',
  key: 'offboardingId',
  title: 'customerName',
  area: 'Tenants',
  scope: { kind: 'installation' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    offboardingId: f.key('Offboarding ID'),
    /** The id of the tenant, which does not exist any more at the end. */
    customerId: f.guid('Customer ID', never),
    customerName: f.text('Customer', { ...never, search: true }),
    state: f.choice('State', offboardingStates, never),
    deleteOn: f.timestamp('Deleted on', never),
    /** Whether the agents uninstall themselves when the machines are cut off. */
    uninstalls: f.boolean('Uninstall agents', never),
    reason: f.text('Reason', { ...never, search: true }),
    requestedBy: f.person('Requested by', never),
    steps: f.json<OffboardingFigures>(
      'Steps',
      () => z.record(z.string(), z.unknown()) as unknown as z.ZodMiniType<OffboardingFigures>,
      never,
    ),
    problem: optional(f.text('Problem', never)),
    proof: optional(f.json('Proof', () => z.record(z.string(), z.unknown()), never)),
    /** SHA-256 of the proof as it was signed, in hexadecimal. */
    proofDigest: optional(f.text('Digest', never)),
    /** HMAC of the digest with a key that only this installation has. */
    proofSignature: optional(f.text('Signature', never)),
    created: f.timestamp('Begun', never),
    modified: f.timestamp('Modified', never),
    ended: optional(f.timestamp('Ended', never)),
  },
});
