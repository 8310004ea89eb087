/** A menu to edit, create or import a control set, for people who may edit compliance in all tenants. */
import { useRef, useState } from 'react';
import type { ControlSetDocument } from '@cloudfit/contract/compliance/control-set.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { controlSetTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { controlSets } from '@cloudfit/contract/resources/compliance.ts';
import { useMayEverywhere } from '../../api/lookups.ts';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import { SetPanel, type SetToEdit } from './set-panel.tsx';

const empty: ControlSetDocument = { name: '', description: null, controls: [{ name: '', title: '', description: '' }] };

async function setWith(id: string): Promise<ControlSetDocument | undefined> {
  const { rows } = await fetchPage(controlSets, { filter: `id eq ${id}`, expand: ['controls($orderby=position asc;$top=5000)'], top: 1 });
  const [set] = rows;
  return (
    set && {
      name: set.name,
      description: set.description,
      controls: set.controls.map(({ name, title, description }) => ({ name, title, description })),
    }
  );
}

/**
 * Reads a control set from a file: a document of this product, or an OSCAL catalog, which is converted. Undefined if the file
 * is neither.
 */
async function readDocument(file: File): Promise<ControlSetDocument | undefined> {
  let content: unknown;
  try {
    content = JSON.parse(await file.text());
  } catch {
    toast.error(t.notJson);
    return undefined;
  }
  // Loaded with the first import, because the schemas of catalogs are large.
  const [{ controlSetDocument }, { fromOscal, oscalCatalog }] = await Promise.all([
    import('@cloudfit/contract/compliance/control-set.ts'),
    import('@cloudfit/contract/compliance/oscal.ts'),
  ]);
  const catalog = oscalCatalog.safeParse(content);
  const parsed = controlSetDocument.safeParse(catalog.success ? fromOscal(catalog.data) : content);
  if (!parsed.success) toast.error(t.notSet);
  return parsed.data;
}

interface SetMenuProps {
  setId: string;
  onChoose: (setId: string) => void;
}

export function SetMenu({ setId, onChoose }: SetMenuProps) {
  // Control sets belong to all tenants, so editing needs the permission for all tenants.
  const mayEdit = useMayEverywhere(controlSets.area, 'edit');
  const [edited, setEdited] = useState<SetToEdit>();
  const picker = useRef<HTMLInputElement>(null);
  if (!mayEdit) return null;
  const edit = async () => {
    try {
      const document = await setWith(setId);
      if (document) setEdited({ kind: 'edit', document });
    } catch (error) {
      toastFailure(error, t.failed);
    }
  };
  /** Shows the set that was just saved, which is identified by its unique name. */
  const open = async (name: string) => {
    const { rows } = await fetchPage(controlSets, { filter: eq(controlSets, 'name', name), select: ['id'], top: 1 });
    if (rows[0] && rows[0].id !== setId) onChoose(rows[0].id);
  };
  const choose = async (file: File | undefined) => {
    const document = file && (await readDocument(file));
    if (document) setEdited({ kind: 'import', document });
  };
  return (
    <>
      <MenuButton
        label={t.menu}
        icon="gear"
        small
        entries={[
          { id: 'edit', label: t.edit, icon: 'edit', disabled: setId === '', run: () => void edit() },
          { id: 'new', label: t.create, icon: 'plus', run: () => setEdited({ kind: 'new', document: empty }) },
          { id: 'import', label: t.import, icon: 'download', run: () => picker.current?.click() },
        ]}
      />
      <input
        ref={picker}
        type="file"
        accept="application/json,.json"
        className="visually-hidden"
        tabIndex={-1}
        aria-hidden
        onChange={(event) => {
          void choose(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      {edited && (
        <SetPanel
          key={`${edited.kind} ${edited.document.name}`}
          start={edited}
          onClose={() => setEdited(undefined)}
          onSaved={(name) => {
            setEdited(undefined);
            void open(name).catch((error: unknown) => toastFailure(error, t.failed));
          }}
        />
      )}
    </>
  );
}
