/** A field for zips and their signature files, which people choose by a button or drop on the field. */
import { useState, type DragEvent } from 'react';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { IconButton } from '../../components/button.tsx';
import type { FieldAria } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { sizeText } from '../../components/size-text.ts';
import { isSignature } from './upload.rules.ts';

const t = packageTexts.upload;

interface FileInputProps {
  aria: FieldAria;
  files: readonly File[];
  onChange: (files: readonly File[]) => void;
  disabled: boolean;
}

/** Adds files; a new file replaces an earlier file of the same name. */
function joined(before: readonly File[], more: readonly File[]): readonly File[] {
  const names = new Set(more.map((file) => file.name));
  return [...before.filter((file) => !names.has(file.name)), ...more];
}

export function FileInput({ aria, files, onChange, disabled }: FileInputProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!disabled) onChange(joined(files, [...event.dataTransfer.files]));
  };
  return (
    <div
      className={isOver ? 'file-drop over' : 'file-drop'}
      onDrop={drop}
      onDragLeave={() => setOver(false)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
    >
      <input
        type="file"
        {...aria}
        multiple
        accept=".zip,.sig,application/zip"
        disabled={disabled}
        onChange={(event) => {
          onChange(joined(files, [...(event.target.files ?? [])]));
          // Allows choosing the same file again after it was removed.
          event.target.value = '';
        }}
      />
      {files.length > 0 && (
        <ul aria-label={t.files}>
          {files.map((file) => (
            <li key={file.name}>
              <Icon name={isSignature(file) ? 'lock' : 'packages'} />
              <span className="ellipsis grow">{file.name}</span>
              <span className="num faint">{sizeText(file.size)}</span>
              <IconButton
                small
                icon="close"
                label={t.remove(file.name)}
                disabled={disabled}
                onClick={() => onChange(files.filter((item) => item !== file))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
