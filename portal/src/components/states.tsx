/** Empty, loading and error states of lists and panels. */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import './states.css';

interface StateProps {
  title: string;
  text?: string | undefined;
  icon?: IconName;
  small?: boolean;
  children?: ReactNode;
}

export function EmptyState({ title, text, icon = 'empty', small, children }: StateProps) {
  return (
    <div className={small ? 'state small' : 'state'}>
      {!small && <Icon name={icon} />}
      <strong>{title}</strong>
      {text && <span>{text}</span>}
      {children && <div className="row">{children}</div>}
    </div>
  );
}

export function ErrorState({
  title,
  text,
  onRetry,
  small,
}: {
  title: string;
  text?: string | undefined;
  onRetry?: (() => void) | undefined;
  small?: boolean;
}) {
  return (
    <div className={small ? 'state error small' : 'state error'} role="alert">
      <Icon name="warning" />
      <strong>{title}</strong>
      {text && text !== title && <span>{text}</span>}
      {onRetry && (
        <div className="row">
          <Button icon="refresh" onClick={onRetry}>
            {en.common.retry}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Says in a form or a panel why something failed; nothing without a text. */
export function ErrorNotice({ text }: { text: string | false | null | undefined }) {
  if (!text) return null;
  return (
    <p className="notice error" role="alert">
      {text}
    </p>
  );
}

/** A grey placeholder bar for a text. */
export function Skeleton({ width }: { width: number | string }) {
  return <span className="skeleton" style={{ width }} aria-hidden />;
}

/** A thin moving line at the top of an area that reloads. */
export function Progress({ label }: { label: string }) {
  return <div className="progress" role="progressbar" aria-label={label} />;
}
