import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { nearing, Pop } from '../../components/overlay/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import type { ContextFormProps } from './context-form.tsx';
import { useChosenContext } from './use-chosen-context.ts';

const form = onDemand<ContextFormProps>(() => import('./context-form.tsx').then((module) => module.ContextForm));

/** Shows tenant and subscription; a click opens the form to change them. */
export function ContextPicker() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const now = useChosenContext();
  const tenantName = now.tenantName ?? (now.isKnown ? en.shell.unknownTenant : en.shell.loadingTenant);
  const subscriptionName = now.subscriptionName ?? (now.isKnown ? en.shell.noSubscription : '');
  const near = () => {
    nearing.onFocus();
    void form.load();
  };
  return (
    <>
      <button
        type="button"
        className="btn context"
        onPointerEnter={near}
        onFocus={near}
        aria-label={`${en.shell.switchContext}: ${tenantName} / ${subscriptionName}`}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <b className="ellipsis">{tenantName}</b>
        <span className="faint sub">/</span>
        <span className="muted ellipsis sub">{subscriptionName}</span>
        <Icon name="down" />
      </button>
      {anchor && (
        <Pop anchor={anchor} label={en.shell.switchContext} onClose={() => setAnchor(null)}>
          <form.Component tenantId={now.tenantId ?? ''} subscriptionId={now.subscriptionId ?? ''} onDone={() => setAnchor(null)} />
        </Pop>
      )}
    </>
  );
}
