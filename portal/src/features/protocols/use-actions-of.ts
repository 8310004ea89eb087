/** The panel of a protocol's actions, in the address as `actionsOf`; the one that is edited as `protocolActionId`. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

const panelParam = 'actionsOf';
export const protocolActionParam = 'protocolActionId';
const findParam = 'find';
const matchParam = 'match';
const own = [panelParam, protocolActionParam, findParam, matchParam];

/** How the text that is looked for must stand in the name of an action or its summary (PACT-007). */
export const matchOperators = ['contains', 'startsWith', 'equals'] as const;
export type MatchOperator = (typeof matchOperators)[number];

export interface Find {
  text: string;
  operator: MatchOperator;
}

const matches: Record<MatchOperator, (value: string, text: string) => boolean> = {
  contains: (value, text) => value.includes(text),
  startsWith: (value, text) => value.startsWith(text),
  equals: (value, text) => value === text,
};

export function isFound({ text, operator }: Find, ...values: readonly (string | null | undefined)[]): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted === '' || values.some((value) => value && matches[operator](value.toLowerCase(), wanted));
}

export function useActionsOf() {
  const [params] = useSearchParams();
  const change = useAddress();
  const { open: openPanel, close } = usePanelParams(own);
  const open = useCallback((protocolId: string) => openPanel(panelParam, protocolId), [openPanel]);
  const look = ({ text, operator }: Find) =>
    change(
      (next) => {
        if (text) next.set(findParam, text);
        else next.delete(findParam);
        if (operator === 'contains') next.delete(matchParam);
        else next.set(matchParam, operator);
        return undefined;
      },
      { replace: true, now: true },
    );
  const find: Find = {
    text: params.get(findParam) ?? '',
    operator: matchOperators.find((one) => one === params.get(matchParam)) ?? 'contains',
  };
  return { protocolId: params.get(panelParam), find, open, close, look };
}
