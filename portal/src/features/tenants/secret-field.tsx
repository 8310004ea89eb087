import type { ComponentProps } from 'react';
import { TextField } from '../../components/fields/text-field.tsx';

/** A one-line text field in the form of a secret; the browser neither fills it in nor checks its spelling. */
export function SecretField(props: ComponentProps<typeof TextField>) {
  return <TextField autoComplete="off" spellCheck={false} {...props} />;
}
