/** The choices for the right sides of conditions, by left operand. Lines with the same operand share one read. */
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { conditionInputOptionsLookup } from '@cloudfit/contract/calls.ts';
import { callQuery } from '../../../../api/call.ts';
import type { ComboChoice } from '../../../../components/combo-box.tsx';

/** Maximum number of options in one answer. If an operand has more, the server searches them. */
export const maxOptions = 1_000;

export interface InputOptions {
  choices: readonly ComboChoice[];
  isLoading: boolean;
  hasFailed: boolean;
}

const none: InputOptions = { choices: [], isLoading: false, hasFailed: false };

export type OptionsOf = (operand: number) => InputOptions;

interface OptionsAnswer {
  data: CallOutput<typeof conditionInputOptionsLookup> | undefined;
  isLoading: boolean;
  isError: boolean;
}

/** `scopeTenant` is the tenant of the address; the options belong to `tenantId`. */
export function useInputOptions(scopeTenant: string | null, tenantId: string | null, operands: readonly (number | null)[]): OptionsOf {
  const key = [...new Set(operands)].filter((id) => operandOf(id ?? -1)?.lookup !== undefined).join();
  const operandIds = useMemo(() => key.split(',').filter(Boolean).map(Number), [key]);
  const of = tenantId ?? scopeTenant;
  const combine = useCallback(
    (answers: OptionsAnswer[]): OptionsOf => {
      const optionsById = new Map(
        answers.map(({ data = [], isLoading, isError }, at) => [
          operandIds[at],
          { choices: data.map(({ id, name }) => ({ value: String(id), label: name })), isLoading, hasFailed: isError },
        ]),
      );
      return (operand) => optionsById.get(operand) ?? none;
    },
    [operandIds],
  );
  return useQueries({
    queries: operandIds.map((operand) => ({
      ...callQuery(conditionInputOptionsLookup, { urlTenantId: scopeTenant ?? of ?? '', leftOperandType: operand, tenantId: of ?? '' }),
      enabled: of !== null,
      staleTime: 60_000,
    })),
    combine,
  });
}
