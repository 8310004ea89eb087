import { packageTexts as t } from '@cloudfit/contract/messages/packages.en.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { publishers } from '@cloudfit/contract/resources/publishers.ts';
import { Link } from 'react-router';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { packagesView } from './packages.view.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { useUploadPanel } from './use-upload-panel.ts';

/** The upload panel opens over the panel of a package. */
export function PackagesPage() {
  const mayOf = useMay();
  const may = mayOf(packages.area, 'create');
  const panel = usePanel();
  const upload = useUploadPanel();
  return (
    <>
      <ListPage
        view={packagesView}
        bar={
          <>
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
