/** The placeholders that a text may contain, in groups. The code loads when a field with placeholders gets the focus. */
import { useEffect, useRef, type MouseEvent } from 'react';
import { placeholderTexts as t } from '@cloudfit/contract/messages/placeholder.en.ts';
import {
  placeholderExample,
  placeholderGroupOf,
  placeholderGroups,
  readingExamples,
} from '@cloudfit/contract/rules/placeholder-examples.ts';
import { rulePlaceholders } from '@cloudfit/contract/rules/placeholders.ts';
import type { Readings } from '../packets/use-readings.ts';

type ListGroup = keyof typeof t.groups;

export interface PlaceholderOption {
  /** What is inserted: a whole placeholder, or the beginning of one. */
  text: string;
  name: string;
  about: string;
  example: string;
  group: ListGroup;
}

/** Names that a field offers besides the placeholders that all fields have. */
export interface FieldNames {
  /** The parameters of the action. */
  ownNames: readonly string[];
  /** Names of secrets; empty if the person may not use them. */
  secrets: readonly string[];
  readings: Readings;
  /** False for the texts of a work unit that does not exist yet; its placeholders are not offered. */
  hasUnit: boolean;
}

type ReadingPart = keyof typeof readingExamples;
const parts = Object.keys(readingExamples) as ReadingPart[];
const partOf = { 'Metrics.': 'Metrics', 'States.': 'States', 'Properties.': 'Properties' } as const;

function allOptions({ ownNames, secrets, readings, hasUnit }: FieldNames): PlaceholderOption[] {
  const whole = (group: ListGroup, name: string, about: string, example = ''): PlaceholderOption => ({
    text: `{${name}}`,
    name,
    about,
    example,
    group,
  });
  const ofAll = placeholderGroups
    .filter((group) => hasUnit || group !== 'unit')
    .flatMap((group) =>
      rulePlaceholders
        .filter(({ id }) => placeholderGroupOf(id) === group)
        .map(({ id, name }) => whole(group, id, name, String(placeholderExample(id)).split('\n')[0])),
    );
  const ofPackets = parts.flatMap((part): PlaceholderOption[] => [
    { text: `{${part}`, name: part, about: t.readings[part], example: String(readingExamples[part]), group: 'packet' },
    // Leaves out names that cannot be a placeholder.
    ...[...readings[partOf[part]]]
      .filter(([name]) => /^[\w.:-]+$/.test(name))
      .map(([name, last]) => whole('packet', part + name, t.reported, last)),
  ]);
  const ofSecrets = secrets.length > 0 ? secrets.map((name) => whole('secret', `Secret:${name}`, t.namedSecret)) : [];
  return [...ownNames.map((name) => whole('parameter', name, t.parameterHelp)), ...ofAll, ...ofPackets, ...ofSecrets];
}

/**
 * The placeholders whose name contains the typed text; if there are none, those whose description contains it. Without typed
 * text, instead of all readings only their part of the packet is offered, such as `Metrics.`.
 */
export function optionsFor(typed: string, offered: FieldNames): PlaceholderOption[] {
  const words = typed.toLowerCase();
  const isReading = ({ name }: PlaceholderOption) => parts.some((part) => name.startsWith(part) && name !== part);
  const all = allOptions(offered);
  if (words === '') return all.filter((option) => !isReading(option));
  const named = all.filter(({ name }) => name.toLowerCase().includes(words));
  return named.length > 0 ? named : all.filter(({ about }) => about.toLowerCase().includes(words));
}

/** Handlers for a click on an option. The text field keeps the focus, because its keys choose from the list, too. */
const press = (onClick: () => void) => ({ onClick, onMouseDown: (event: MouseEvent) => event.preventDefault() });

interface PlaceholderListProps {
  id: string;
  options: readonly PlaceholderOption[];
  typed: string;
  active: number;
  onChoose: (option: PlaceholderOption) => void;
}

export const optionId = (list: string, at: number): string => `${list}-${at}`;

export function PlaceholderList({ id, options, typed, active, onChoose }: PlaceholderListProps) {
  const current = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // Scrolls to the list, because below the last field of a panel it opens out of sight.
  useEffect(() => {
    list.current?.scrollIntoView?.({ block: 'nearest' });
  }, []);
  useEffect(() => {
    // In newer browsers `scrollIntoView` returns a promise, which must not become the cleanup. Tests have no such function.
    current.current?.scrollIntoView?.({ block: 'nearest' });
  }, [active]);
  const groups = [...new Set(options.map(({ group }) => group))];
  return (
    <div id={id} ref={list} className="placeholder-list" role="listbox" aria-label={t.list}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={t.groups[group]}>
          <div className="placeholder-group" aria-hidden>
            {t.groups[group]}
          </div>
          {options.map(
            (option, at) =>
              option.group === group && (
                <div
                  key={option.name}
                  id={optionId(id, at)}
                  ref={at === active ? current : undefined}
                  role="option"
                  aria-selected={at === active}
                  tabIndex={-1}
                  {...press(() => onChoose(option))}
                >
                  <code>{`{${option.name}${option.text.endsWith('}') ? '}' : ''}`}</code>
                  <span>{option.about}</span>
                  {option.example && <small className="ellipsis">{option.example}</small>}
                </div>
              ),
          )}
        </div>
      ))}
      {options.length === 0 && (
        <div className="none" role="option" aria-selected={false} aria-disabled>
          {t.none(typed)}
        </div>
      )}
      <div className="placeholder-note" aria-hidden>
        {t.byDefault}
      </div>
    </div>
  );
}
