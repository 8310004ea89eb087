/** Lists that come as spreadsheets: devices, people, tickets of another program. */
import { useState } from 'react';
import { importLists, type ImportList } from '@cloudfit/contract/configuration/lists.ts';
import { configurationTexts as t } from '@cloudfit/contract/messages/configuration.en.ts';
import { listTexts } from '@cloudfit/contract/messages/lists.en.ts';
import { Field } from '../../components/field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { ImportTable } from '../../entities/list-import/import-table.tsx';

export function ImportTables({ tenantId }: { tenantId: string }) {
  const [list, setList] = useState<ImportList | ''>('');
  return (
    <section className="form-section" aria-label={t.tables}>
      <h2>{t.tables}</h2>
      <p className="faint">{t.tablesText}</p>
      <Field label={listTexts.what}>
        {(aria) => (
          <Select {...aria} choices={choicesOf(importLists, listTexts.names)} value={list} none={listTexts.choose} onChange={setList} />
        )}
      </Field>
      {list !== '' && <ImportTable key={list} list={list} tenantId={tenantId} />}
    </section>
  );
}
