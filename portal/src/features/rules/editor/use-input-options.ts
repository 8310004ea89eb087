/** What the right sides of conditions can be chosen from, by left operand; read once for all lines that ask for the same. */
import { useQueries } from '@tanstack/react-query';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import { callJson } from '../../../api/client.ts';
import type { ComboChoice } from '../../../components/combo-box.tsx';

/** As many as one answer holds: beyond them the server is searched. */
export const mostOptions = 1_000;

export interface InputOptions {
  choices: readonly ComboChoice[];
  isLoading: boolean;
  hasFailed: boolean;
}

interface OptionRow {
  id: string | number;
  name: string;
}

const none: InputOptions = { choices: [], isLoading: false, hasFailed: false };

export type OptionsOf = (operand: number) => InputOptions;

/** `scopeTenant` is the one of the address; the options are those of `tenantId`. */
export function useInputOptions(scopeTenant: string | null, tenantId: string | null, operands: readonly (number | null)[]): OptionsOf {
  const asked = [...new Set(operands)].filter((id): id is number => id !== null && operandOf(id)?.lookup !== undefined);
  const of = tenantId ?? scopeTenant;
  return useQueries({
    queries: asked.map((operand) => ({
      queryKey: ['ruleOptions', operand, of],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callJson<OptionRow[]>(`/api/${scopeTenant ?? of}/rulelookup/conditionInputOptions/${operand}?tenantId=${of}`, {
          signal,
          quiet: true,
        }),
      enabled: of !== null,
      staleTime: 60_000,
    })),
    combine: (results) => {
      const found = new Map(
        results.map(({ data = [], isLoading, isError }, at) => [
          asked[at],
          { choices: data.map(({ id, name }) => ({ value: String(id), label: name })), isLoading, hasFailed: isError },
        ]),
      );
      return (operand) => found.get(operand) ?? none;
    },
  });
}
