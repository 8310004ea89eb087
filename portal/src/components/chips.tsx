/** Small marks: severity, state, person, meter, copyable id. Each shows its value as text, too, not only by colour. */
import { useState, type ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { copyText } from './copy.ts';
import { Icon } from './icon.tsx';
import './chips.css';

export type Tone = 'plain' | 'ok' | 'warn' | 'danger' | 'info' | 'unknown';

export function Chip({ tone = 'plain', dot, title, children }: { tone?: Tone; dot?: boolean; title?: string; children: ReactNode }) {
  return (
    <span className={`chip ${tone}`} title={title}>
      {dot && <i className="dot" />}
      {children}
    </span>
  );
}

export function SeverityChip({ value }: { value: string }) {
  return <span className={`sev ${value}`}>{value}</span>;
}

/** What a person has asked for and the server has not confirmed yet. */
export function PendingChip({ children }: { children: ReactNode }) {
  return (
    <span className="status pending" aria-busy>
      <svg viewBox="0 0 14 14" aria-hidden>
        <path d="M7 1.400a5.600 5.600 0 1 1-5.600 5.600" fill="none" stroke="currentColor" strokeWidth="1.600" />
      </svg>
      {children}
    </span>
  );
}

/** The shapes of status icons, so that states differ not only by colour. */
export type StatusShape = 'open' | 'half' | 'most' | 'paused' | 'near' | 'done' | 'closed' | 'crossed';

const ring = <circle cx="7" cy="7" r="5.600" fill="none" stroke="currentColor" strokeWidth="1.600" />;

const shapes: Record<StatusShape, ReactNode> = {
  open: <circle cx="7" cy="7" r="5.600" fill="none" stroke="currentColor" strokeWidth="1.600" strokeDasharray="2.400 1.600" />,
  half: (
    <>
      {ring}
      <path d="M7 3.500a3.500 3.500 0 0 1 0 7z" fill="currentColor" />
    </>
  ),
  most: (
    <>
      {ring}
      <path d="M7 3.500a3.500 3.500 0 1 1-3.500 3.500H7z" fill="currentColor" />
    </>
  ),
  paused: (
    <>
      {ring}
      <path d="M5.700 5v4M8.300 5v4" stroke="currentColor" strokeWidth="1.600" />
    </>
  ),
  near: (
    <>
      {ring}
      <circle cx="7" cy="7" r="2.800" fill="currentColor" />
    </>
  ),
  done: (
    <>
      <circle cx="7" cy="7" r="6.300" fill="currentColor" />
      <path d="M4.300 7.200l1.900 1.900 3.500-3.900" fill="none" stroke="var(--surface)" strokeWidth="1.600" />
    </>
  ),
  closed: (
    <>
      <circle cx="7" cy="7" r="6.300" fill="currentColor" />
      <path d="M4.500 7h5" stroke="var(--surface)" strokeWidth="1.600" />
    </>
  ),
  crossed: (
    <>
      {ring}
      <path d="M5 5l4 4M9 5l-4 4" stroke="currentColor" strokeWidth="1.600" />
    </>
  ),
};

export function StatusChip({ shape, color, children }: { shape: StatusShape; color: string; children: ReactNode }) {
  return (
    <span className="status">
      <svg viewBox="0 0 14 14" style={{ color }} aria-hidden>
        {shapes[shape]}
      </svg>
      {children}
    </span>
  );
}

export function initials(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._()-]+/)
    .filter(Boolean);
  return ((words[0]?.[0] ?? '?') + (words.length > 1 ? (words.at(-1)?.[0] ?? '') : '')).toUpperCase();
}

interface AvatarProps {
  name: string;
  /** The address of the photo. Initials are shown when there is none or the photo cannot be loaded. */
  photo?: string | undefined;
  size?: 'small' | 'large' | 'huge';
}

export function Avatar({ name, photo, size = 'small' }: AvatarProps) {
  const [broken, setBroken] = useState<string>();
  return (
    <span className={`avatar ${size}`} aria-hidden>
      {photo && photo !== broken ? <img src={photo} alt="" onError={() => setBroken(photo)} /> : initials(name)}
    </span>
  );
}

export function Who({ name, photo }: { name: string | null | undefined; photo?: string | undefined }) {
  if (!name) return <span className="faint">{en.common.none}</span>;
  return (
    <span className="who">
      <Avatar name={name} photo={photo} />
      <span className="ellipsis">{name}</span>
    </span>
  );
}

/** The number beside the bar of a meter. */
export const meterText = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** A percentage as a bar and a number. */
export function Meter({ value, label }: { value: number | null | undefined; label: string }) {
  if (value === null || value === undefined) return <span className="faint">{en.common.none}</span>;
  const tone = value >= 90 ? 'danger' : value >= 75 ? 'warn' : '';
  return (
    <span
      className={`meter ${tone}`}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(value)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span className="bar">
        <i style={{ width: `${Math.min(100, Math.max(0, value))}%` }} />
      </span>
      <span>{meterText(value)}</span>
    </span>
  );
}

/** An id that a click copies. */
export function CopyId({ id, label }: { id: string; label: string }) {
  return (
    <button
      type="button"
      className="copy-id"
      title={id}
      aria-label={`${en.copy.label(label)} ${id}`}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(id, en.copy.id(id));
      }}
    >
      <span className="ellipsis">{id}</span>
      <Icon name="copy" />
    </button>
  );
}
