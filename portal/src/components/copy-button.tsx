import { useEffect, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from './button.tsx';
import { toast } from './toasts.tsx';
import './copy-button.css';

interface CopyButtonProps {
  text: string;
  /** Name of the copied thing for screen readers. */
  label: string;
  /** The tooltip after copying. */
  done: string;
  autoFocus?: boolean;
}

/** How long the tooltip stays open after copying (SHELL-080, TOK-010). */
const tooltipMs = 1_000;

/** Copies a text, and shows `done` beside the button for a second. */
export function CopyButton({ text, label, done, autoFocus = false }: CopyButtonProps) {
  /** How often the text was copied since the tooltip opened; 0 while the tooltip is closed. */
  const [copies, setCopies] = useState(0);
  useEffect(() => {
    if (copies === 0) return;
    const timer = setTimeout(() => setCopies(0), tooltipMs);
    return () => clearTimeout(timer);
  }, [copies]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopies((n) => n + 1);
    } catch {
      toast.warning(en.copy.failed);
    }
  };
  return (
    <span className="copy-button">
      <IconButton icon="copy" small label={en.copy.label(label)} autoFocus={autoFocus} onClick={() => void copy()} />
      <span role="status">{copies > 0 && <span className="copied">{done}</span>}</span>
    </span>
  );
}
