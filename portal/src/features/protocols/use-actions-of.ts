/** The address of a protocol's actions: `actionsOf` names the protocol, `protocolActionId` the action in the form. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

const panelParam = 'actionsOf';
export const protocolActionParam = 'protocolActionId';
const findParam = 'find';
const matchParam = 'match';
const panelParams = [panelParam, protocolActionParam, findParam, matchParam];

/** How the searched text must appear in the name or the summary of an action (PACT-007). */
export const matchOperators = ['contains', 'startsWith', 'equals'] as const;
export type MatchOperator = (typeof matchOperators)[number];

export interface ActionSearch {
  text: string;
  operator: MatchOperator;
}

const matches: Record<MatchOperator, (value: string, text: string) => boolean> = {
  contains: (value, text) => value.includes(text),
  startsWith: (value, text) => value.startsWith(text),
  equals: (value, text) => value === text,
};

export function matchesSearch({ text, operator }: ActionSearch, ...values: readonly (string | null | undefined)[]): boolean {
  const searchText = text.trim().toLowerCase();
  return searchText === '' || values.some((value) => value && matches[operator](value.toLowerCase(), searchText));
}

export function useActionsOf() {
  const [params] = useSearchParams();
  const change = useAddress();
  const { open: openPanel, close } = usePanelParams(panelParams);
  const open = useCallback((protocolId: string) => openPanel(panelParam, protocolId), [openPanel]);
  const look = ({ text, operator }: ActionSearch) =>
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
  const find: ActionSearch = {
    text: params.get(findParam) ?? '',
    operator: matchOperators.find((matchOperator) => matchOperator === params.get(matchParam)) ?? 'contains',
  };
  return { protocolId: params.get(panelParam), find, open, close, look };
}
