/** A request as the person who made it sees it, with a reply; or the form of a new request (RC-007, RC-009). */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { newId } from '../../hooks/use-panel.ts';
import type { PanelProps } from '../../resource/view.ts';
import { CallMe } from './call-me.tsx';
import { Notes } from './notes.tsx';
import { Progress } from './progress.tsx';
import { Reply } from './reply.tsx';
import { RequestCreate } from './request-create.tsx';
import { RequestStatus } from './request-status.tsx';
import { useRequest, webAddress, type CustomerRequest } from './requests.ts';
import { Feedback } from './satisfaction.tsx';
import { useTenantNames } from './use-tenant-names.ts';

const t = resolutionCenterEn.detail;
const { columns } = resolutionCenterEn;

function Reference({ url }: { url: string }) {
  const to = webAddress(url);
  return to ? (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  ) : (
    url
  );
}

function Facts({ request }: { request: CustomerRequest }) {
  const { service, need, stakeHolderPhoneNumber: phone, referenceUrl, created, modified, resolved } = request;
  const nameOf = useTenantNames();
  const facts: readonly (readonly [string, ReactNode])[] = [
    ...(nameOf ? [[resolutionCenterEn.request.tenant, nameOf(request.tenantId)] as const] : []),
    [columns.created, <RelativeTime key="created" value={created} />],
    [t.updated, <RelativeTime key="updated" value={modified} />],
    ...(resolved ? [[t.resolved, <RelativeTime key="resolved" value={resolved} />] as const] : []),
    [columns.service, service ?? t.none],
    [columns.need, need ?? t.none],
    [columns.phone, phone ?? t.none],
    ...(referenceUrl ? [[resolutionCenterEn.referenceUrl, <Reference key="reference" url={referenceUrl} />] as const] : []),
  ];
  return (
    <section className="form-section" aria-label={t.facts}>
      <h3>{t.facts}</h3>
      <dl className="request-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Words({ title, text }: { title: string; text: string | null }) {
  if (!text?.trim()) return null;
  return (
    <section className="form-section" aria-label={title}>
      <h3>{title}</h3>
      <p className="request-words">{text}</p>
    </section>
  );
}

function Detail({ request, onClose }: { request: CustomerRequest; onClose: () => void }) {
  const { publicWorkUnitId: id, title, status } = request;
  const isDone = status === 'Done';
  return (
    <SidePanel
      title={title}
      label={t.title(id, title)}
      onClose={onClose}
      meta={
        <>
          <RequestStatus status={status} />
          <span className="num">#{id}</span>
        </>
      }
      footer={currentImpersonation() ? <Button onClick={onClose}>{en.common.close}</Button> : <CallMe request={request} />}
    >
      <div className="body" tabIndex={0} role="region" aria-label={t.label}>
        <Progress request={request} />
        {isDone && <Words title={t.resolution} text={request.resolution} />}
        {isDone && <Feedback request={request} />}
        <Words title={t.description} text={request.description} />
        <Facts request={request} />
        <Notes id={request.workUnitId} />
        {!currentImpersonation() && <Reply request={request} />}
      </div>
    </SidePanel>
  );
}

export function RequestPanel({ id, row, onClose }: PanelProps<CustomerRequest>) {
  const request = useRequest(id, row);
  if (id === newId) return <RequestCreate onClose={onClose} />;
  if (request.data) return <Detail request={request.data} onClose={onClose} />;
  return (
    <MissingRow
      key={id}
      label={t.label}
      error={request.error}
      isGone={request.data === null || !/^\d{1,15}$/.test(id)}
      onRetry={() => void request.refetch()}
      onClose={onClose}
    />
  );
}
