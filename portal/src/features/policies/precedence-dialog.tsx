/** The policies in the order in which they win, and another order with what it changes on devices before it is saved. */
import { useState, type KeyboardEvent } from 'react';
import { orderPolicies, previewPolicyOrder } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { policyCareTexts } from '@cloudfit/contract/messages/policy-care.en.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { useCommand } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { countText } from '../../components/count.ts';
import { Dialog } from '../../components/overlay/floating.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { useList } from '../../rows/use-rows.ts';
import './policies.css';

const t = policyCareTexts.order;
const max = 500;
const waitMs = 300;

/** The list with the item at `from` at `to`. */
function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(Math.max(0, Math.min(to, rest.length)), 0, ...list.slice(from, from + 1));
}

function Changes({ plan }: { plan: CallOutput<typeof previewPolicyOrder> }) {
  return (
    <>
      <p className="muted">{t.ranks(countText(plan.ranks.length))}</p>
      {plan.changes.length === 0 && <p className="faint">{t.nothing}</p>}
      <ul className="policy-plan">
        {plan.changes.map(({ kind, key, label, devices, names, policyName, insteadOf }) => (
          <li key={`${key} ${policyName} ${insteadOf}`}>
            <span aria-hidden className="policy-sign">
              ~
            </span>
            <span>
              {t.change(kind === 'Heartbeat' ? policyTexts.kinds[kind] : `${policyTexts.kinds[kind]} ${label}`, policyName, insteadOf)}{' '}
              {t.on(countText(devices), names.join(', '))}
              {devices > names.length && t.more}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface PrecedenceDialogProps {
  tenantId: string | null;
  onClose: () => void;
}

export function PrecedenceDialog({ tenantId, onClose }: PrecedenceDialogProps) {
  const { data } = useList(policies, {
    filter: tenantId ? or(eq(policies, 'tenantId', tenantId), eq(policies, 'tenantId', null)) : undefined,
    orderBy: ['rank asc', 'policyId asc'],
    top: max,
  });
  const [order, setOrder] = useState<readonly string[]>();
  const [dragged, setDragged] = useState<number>();
  const stored = (data?.rows ?? []).map(({ policyId }) => policyId);
  const ids = order ?? stored;
  const isChanged = ids.some((id, at) => id !== stored[at]);
  const settled = useDebounced(ids.join(' '), waitMs);
  const preview = useCall(
    previewPolicyOrder,
    { policyIds: settled.split(' ') },
    { refreshedBy: policies.name, enabled: isChanged && settled === ids.join(' '), meta: { live: false } },
  );
  const { run, isBusy } = useCommand((policyIds: readonly string[]) => call(orderPolicies, { policyIds: [...policyIds] }), {
    done: () => t.saved,
    refreshes: [policies.name],
  });
  const move = (from: number, to: number) => to >= 0 && to < ids.length && setOrder(moved(ids, from, to));
  const onKey = (event: KeyboardEvent, at: number) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (!event.altKey || step === 0) return;
    event.preventDefault();
    move(at, at + step);
  };
  const save = async () => {
    if (await run(ids)) onClose();
  };
  return (
    <Dialog
      title={t.title}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={!isChanged || isBusy || preview.error !== null} onClick={() => void save()}>
            {t.save}
          </Button>
        </>
      }
    >
      <p className="muted">{t.text}</p>
      <ol className="policy-order">
        {ids.map((id, at) => {
          const policy = data?.rows.find(({ policyId }) => policyId === id);
          const { name = '…', tenantId: of = null, enabled = true, rank = 0 } = policy ?? {};
          const facts = [...(of === null ? [t.ofAll] : []), ...(enabled ? [] : [t.disabled])].join(', ');
          return (
            <li
              key={id}
              draggable
              className={dragged === at ? 'is-dragged' : undefined}
              onKeyDown={(event) => onKey(event, at)}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move';
                setDragged(at);
              }}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => {
                event.preventDefault();
                if (dragged === undefined || dragged === at) return;
                move(dragged, at);
                setDragged(at);
              }}
              onDrop={(event) => event.preventDefault()}
            >
              <span className="num faint">{rank}</span>
              <span className="policy-order-name">
                {name} {facts && <span className="faint">{facts}</span>}
              </span>
              <IconButton small icon="sortUp" label={t.up(name)} disabled={at === 0} onClick={() => move(at, at - 1)} />
              <IconButton small icon="sortDown" label={t.down(name)} disabled={at === ids.length - 1} onClick={() => move(at, at + 1)} />
            </li>
          );
        })}
      </ol>
      <section className="policy-preview" aria-label={t.changes} aria-live="polite">
        <h3>{t.changes}</h3>
        {!isChanged ? (
          <p className="faint">{t.same}</p>
        ) : preview.error ? (
          <p className="error">{failureText(preview.error)}</p>
        ) : preview.data ? (
          <Changes plan={preview.data} />
        ) : (
          <p className="faint">{t.calculating}</p>
        )}
      </section>
    </Dialog>
  );
}
