/** MIBs whose object names the SNMP operations of a tenant's devices may use. */
import { useState } from 'react';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { mibs } from '@cloudfit/contract/resources/mibs.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { usualTexts } from '../../resource/usual-texts.ts';
import { defineView } from '../../resource/view.ts';

const t = packageTexts.mibs;

/** Reads a file as text. Vendors write MIBs in UTF-8 or Latin-1; those taken from standards have form feeds between their pages. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  const utf8 = new TextDecoder().decode(bytes);
  const decoded = utf8.includes('\uFFFD') ? new TextDecoder('windows-1252').decode(bytes) : utf8;
  return decoded.replaceAll(/[^\P{Cc}\t\r\n]/gu, ' ');
}

/** The text of a MIB, from a file or typed. */
function MibText({ aria, value, values, onChange, onBlur, setValue, disabled, field }: InputProps<typeof mibs>) {
  const [problem, setProblem] = useState<string>();
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const isTooLarge = file.size > (field.max ?? 0);
    setProblem(isTooLarge ? t.tooLarge(file.name) : undefined);
    if (isTooLarge) return;
    onChange(await textOf(file));
    if (!values.name) setValue('name', file.name.replace(/\.\w+$/, ''));
  };
  return (
    <>
      {!disabled && (
        <input
          className="input"
          type="file"
          aria-label={t.choose}
          accept=".mib,.my,.txt,text/plain"
          onChange={(event) => {
            void choose(event.target.files?.[0]);
            // Allows choosing the same file again after it was changed.
            event.target.value = '';
          }}
        />
      )}
      {problem && (
        <div className="error" role="alert">
          {problem}
        </div>
      )}
      <textarea
        className="input area mono"
        rows={12}
        spellCheck={false}
        {...aria}
        maxLength={field.max}
        value={typeof value === 'string' ? value : ''}
        readOnly={disabled}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onBlur}
      />
    </>
  );
}

const mibsView = defineView({
  resource: mibs,
  icon: 'packages',
  texts: usualTexts(t),
  columns: ['name', 'module', 'objectCount', 'tenantId', 'modified'],
  expand: ['tenant'],
  filters: ['tenantId'],
  form: { sections: [{ fields: ['name', 'tenantId', 'text'] }], wide: ['text'], inputs: { text: MibText } },
});

export function MibsPage() {
  return <ListPage view={mibsView} />;
}
