/** The JSON format of control sets, for imports and exports. */
import { z } from 'zod';

const text = (max: number) => z.string().trim().min(1).max(max);

export const controlSetDocument = z.object({
  name: text(500),
  description: z.string().max(20_000).nullish(),
  controls: z
    .array(z.object({ name: text(200), title: text(500), description: z.string().max(20_000).nullish() }))
    .min(1)
    .max(5_000)
    .refine((all) => new Set(all.map((one) => one.name)).size === all.length, 'Two controls have the same name.'),
});

export type ControlSetDocument = z.infer<typeof controlSetDocument>;
