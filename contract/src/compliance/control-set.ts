/** The JSON format of control sets, for imports and exports. */
import { z } from 'zod/mini';
import { asLines, asOneLine } from '../text-checks.ts';

const text = (label: string, max: number) => z.string().check(...asOneLine(label), z.minLength(1), z.maxLength(max));
const longText = z.nullish(z.string().check(...asLines('The description'), z.maxLength(20_000)));

export const controlSetDocument = z.object({
  name: text('The name', 500),
  description: longText,
  controls: z.array(z.object({ name: text('The name', 200), title: text('The title', 500), description: longText })).check(
    z.minLength(1),
    z.maxLength(5_000),
    z.refine((all) => new Set(all.map((control) => control.name)).size === all.length, 'Two controls have the same name.'),
  ),
});

export type ControlSetDocument = z.infer<typeof controlSetDocument>;
