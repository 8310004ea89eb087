/** The protocol's text for people, with placeholders that the server has filled; web addresses in it are links. */
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { usePendingActions } from '../pending-actions/use-pending-actions.ts';
import { PlannedSteps } from './notified.tsx';
import '../pending-actions/pending-actions.css';

const t = workUnitPanelTexts;
const address = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])/;

function Linked({ text }: { text: string }) {
  return text.split(address).map((part, at) =>
    address.test(part) ? (
      <a key={at} href={part} {...(part.startsWith(window.location.origin) ? {} : { target: '_blank', rel: 'noreferrer' })}>
        {part}
      </a>
    ) : (
      part
    ),
  );
}

export function ProtocolsTab({ id }: { id: number }) {
  return (
    <Loaded query={usePendingActions(id)} failed={t.pending.failed}>
      {({ manualActions, protocolName }) => (
        <>
          <ManualText text={manualActions} name={protocolName} />
          <PlannedSteps id={id} />
        </>
      )}
    </Loaded>
  );
}

function ManualText({ text, name }: { text: string | null; name: string | null }) {
  if (!text) return <EmptyState small title={t.protocols.none} icon="protocols" />;
  return (
    <section className="form-section" aria-label={t.protocols.heading}>
      <h3>{name ?? t.protocols.heading}</h3>
      <p className="manual-text">
        <Linked text={text} />
      </p>
    </section>
  );
}
