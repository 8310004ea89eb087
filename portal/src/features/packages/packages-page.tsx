import { packageTexts as t } from '@cloudfit/contract/messages/packages.en.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { publishers } from '@cloudfit/contract/resources/publishers.ts';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { useScope } from '../../rows/use-scope.ts';
import { packagesView } from './packages.view.tsx';
import { prepareRollOut, type RollOut } from './roll-out.ts';
import { UploadPanel } from './upload-panel.tsx';
import { useUploadPanel } from './use-upload-panel.ts';

export type { RollOut };

interface PackagesPageProps {
  /** Starts the roll-out of a package. Without this function, the page offers no roll-out. */
  onRollOut?: ((rollOut: RollOut) => void) | undefined;
}

/** The upload panel opens over the panel of a package. */
export function PackagesPage({ onRollOut }: PackagesPageProps) {
  const mayOf = useMay();
  const may = mayOf(packages.area, 'create');
  const panel = usePanel();
  const upload = useUploadPanel();
  const { tenantId, subscriptionId } = useScope();
  const view = useMemo(
    () =>
      packagesView(tenantId, (row) => {
        const of = row.tenantId ?? tenantId;
        if (!of || !onRollOut) return [];
        const run = async () => {
          const rollOut = await prepareRollOut({ tenantId: of, subscriptionId: of === tenantId ? subscriptionId : null }, row);
          if (rollOut) onRollOut(rollOut);
        };
        return [{ id: 'rollOut', label: t.rollOut.start, icon: 'devices', run: () => void run() }];
      }),
    [tenantId, subscriptionId, onRollOut],
  );
  return (
    <>
      <ListPage
        view={view}
        bar={
          <>
            <Link className="btn" to="../mibs" relative="path">
              {t.mibs.title}
            </Link>
            {mayOf(publishers.area, 'view') && (
              <Link className="btn" to="../publishers" relative="path">
                {t.publishers.title}
              </Link>
            )}
            {may && <Button onClick={() => panel.open(newId)}>{t.create}</Button>}
          </>
        }
        create={
          may && (
            <Button look="primary" icon="plus" data-create onClick={() => upload.open(newId)}>
              {t.upload.open}
            </Button>
          )
        }
      />
      {upload.id && may && <UploadPanel id={upload.id} onClose={() => upload.close()} />}
    </>
  );
}
