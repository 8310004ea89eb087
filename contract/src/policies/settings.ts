/** What a policy says about operations and packages. */
import { z } from 'zod/mini';
import { frequencyTypes } from '../enums.ts';
import { parameterValues } from '../packages/parameters.ts';
import { durationSchema, guidSchema } from '../resource.ts';
import { operationIntervalMinSeconds } from '../resources/device-operations.ts';
import { asOneLine } from '../text-checks.ts';

const interval = durationSchema.check(
  z.refine((text) => {
    const [h = 0, m = 0, s = 0] = text.split(':').map(Number);
    return h * 3_600 + m * 60 + s >= operationIntervalMinSeconds;
  }, `An interval is at least ${operationIntervalMinSeconds} seconds.`),
);

export const policyOperation = z.object({
  operationId: guidSchema,
  label: z
    .string({ error: 'An operation needs a label.' })
    .check(...asOneLine('Label'), z.minLength(1, 'An operation needs a label.'), z.maxLength(200, 'A label is at most 200 characters.')),
  frequencyTypeId: z
    .int({ error: 'A frequency is 1, 2 or 3.' })
    .check(z.refine((value) => frequencyTypes.some((type) => type.value === value), 'A frequency is 1, 2 or 3.')),
  interval: z._default(interval, '00:05:00'),
  parameters: z._default(parameterValues, []),
});

/** An operation that the devices run; it is recognised by the operation and its label. */
export type PolicyOperation = z.infer<typeof policyOperation>;

export const policyOperations = z.array(policyOperation).check(z.maxLength(100, 'A policy has at most 100 operations.'));

const policyPackage = z.object({
  packageId: guidSchema,
  /** Null: the newest release that the device accepts. */
  packageVersionId: z._default(z.nullable(guidSchema), null),
  /** Without a version: whether pre-releases count too. */
  preReleases: z.optional(z.boolean()),
});

/** A package that the devices have, in this version or the newest. */
export type PolicyPackage = z.infer<typeof policyPackage>;

export const policyPackages = z.array(policyPackage).check(z.maxLength(50, 'A policy has at most 50 packages.'));
