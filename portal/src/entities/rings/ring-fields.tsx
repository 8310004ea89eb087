/** Fields for the rings, the gate and the pause of a campaign. */
import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { rules as ruleResource } from '@cloudfit/contract/resources/rules.ts';
import { useState } from 'react';
import { useMay } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { useChoices } from '../../rows/choices.ts';
import { nextShare, problemOfRings, sizesOfRings, type ChosenRing, type ChosenRings } from './chosen-rings.ts';
import './rings.css';

const t = campaignTexts.rings;

const kinds = [
  { value: 'share', label: t.share },
  { value: 'tag', label: t.tag },
] as const;
const maxRings = 9;

interface RingLineProps {
  ring: ChosenRing;
  /** The number of the ring, from 1. */
  at: number;
  size: number | undefined;
  onChange: (ring: ChosenRing) => void;
  onRemove: (() => void) | undefined;
}

function RingLine({ ring, at, size, onChange, onRemove }: RingLineProps) {
  return (
    <li className="ring-line">
      <span className="number num faint">{at}</span>
      <Select aria-label={t.kind(at)} value={ring.kind} choices={kinds} onChange={(kind) => onChange({ ...ring, kind, text: '' })} />
      <input
        className="input"
        type="text"
        inputMode={ring.kind === 'share' ? 'decimal' : 'text'}
        aria-label={ring.kind === 'share' ? t.shareOf(at) : t.tagOf(at)}
        value={ring.text}
        maxLength={100}
        onChange={(event) => onChange({ ...ring, text: event.target.value })}
      />
      {ring.kind === 'share' && <span>%</span>}
      {size !== undefined && <span className="faint">{t.devices(size)}</span>}
      <span className="grow" />
      {onRemove && <IconButton small icon="close" label={t.remove(at)} onClick={onRemove} />}
    </li>
  );
}

function Rules({
  tenantId,
  rules,
  onChange,
}: {
  tenantId: string;
  rules: ChosenRings['rules'];
  onChange: (next: ChosenRings['rules']) => void;
}) {
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const { choices, isLoading } = useChoices(ruleResource.name, { search, tenantId, enabled: opened });
  return (
    <>
      <Field label={t.rules}>
        {(aria) => (
          <ComboBox
            choices={choices.filter((choice) => rules.every(({ ruleId }) => ruleId !== choice.value))}
            value={null}
            loading={isLoading}
            aria={aria}
            placeholder={t.addRule}
            onOpen={() => setOpened(true)}
            onType={setSearch}
            onChange={(choice) => choice && onChange([...rules, { ruleId: String(choice.value), name: choice.label }])}
          />
        )}
      </Field>
      {rules.length > 0 && (
        <div className="ring-rules">
          {rules.map(({ ruleId, name }) => (
            <Button
              key={ruleId}
              small
              trailing="close"
              aria-label={t.removeRule(name)}
              onClick={() => onChange(rules.filter((rule) => rule.ruleId !== ruleId))}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

interface RingFieldsProps {
  tenantId: string;
  /** Number of devices of the campaign. */
  total: number;
  /** The text for what happens when a ring fails. */
  undone: string;
  /** The texts for the share that must succeed. */
  share?: { label: string; help: string };
  rings: ChosenRings;
  onChange: (next: ChosenRings) => void;
}

const usualShare = { label: t.minShare, help: t.minShareHelp };

export function RingFields({ tenantId, total, undone, share = usualShare, rings, onChange }: RingFieldsProps) {
  const may = useMay();
  const lines = rings.rings;
  const sizes = sizesOfRings(lines, total);
  const isKnown = sizes.every((size) => size !== undefined);
  const rest = total - sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const problem = problemOfRings(rings);
  const set = (next: Partial<ChosenRings>) => onChange({ ...rings, ...next });
  const addRing = () =>
    set({ rings: [...lines, { id: Math.max(...lines.map(({ id }) => id)) + 1, kind: 'share', text: nextShare(lines) }] });
  return (
    <div className="ring-form" role="group" aria-label={t.list}>
      <p className="faint">{t.useHelp}</p>
      <ol>
        {lines.map((ring, at) => (
          <RingLine
            key={ring.id}
            ring={ring}
            at={at + 1}
            size={sizes[at]}
            onChange={(next) => set({ rings: lines.map((line) => (line.id === next.id ? next : line)) })}
            onRemove={lines.length > 1 ? () => set({ rings: lines.filter((line) => line.id !== ring.id) }) : undefined}
          />
        ))}
      </ol>
      <div className="ring-line">
        <span className="faint">{t.rest(isKnown ? rest : undefined)}</span>
        <span className="grow" />
        {lines.length < maxRings && (
          <Button small icon="plus" onClick={addRing}>
            {t.add}
          </Button>
        )}
      </div>
      <div className="form-grid">
        {(['minShare', 'pauseMinutes'] as const).map((name) => (
          <TextField
            key={name}
            label={name === 'minShare' ? share.label : t.pause}
            help={name === 'minShare' ? share.help : undefined}
            className="num"
            inputMode="numeric"
            value={rings[name]}
            onChange={(next) => set({ [name]: next })}
          />
        ))}
      </div>
      <Checkbox label={t.heartbeat} checked={rings.heartbeat} onChange={(checked) => set({ heartbeat: checked })} />
      {may(ruleResource.area, 'view') && <Rules tenantId={tenantId} rules={rings.rules} onChange={(rules) => set({ rules })} />}
      <p className="faint">{undone}</p>
      {problem && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
