/** The JSON format of control sets, for imports and exports. */
import { z } from 'zod/mini';

const text = (max: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(max));
const longText = z.nullish(z.string().check(z.maxLength(20_000)));

export const controlSetDocument = z.object({
  name: text(500),
  description: longText,
  controls: z.array(z.object({ name: text(200), title: text(500), description: longText })).check(
    z.minLength(1),
    z.maxLength(5_000),
    z.refine((all) => new Set(all.map((one) => one.name)).size === all.length, 'Two controls have the same name.'),
  ),
});

export type ControlSetDocument = z.infer<typeof controlSetDocument>;
