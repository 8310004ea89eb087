# The same as sample.sh, for Windows. Its arguments are those of the operation in cloudfit.json, with the values of the parameters.
param([string]$Operation, [string]$Folder, [long]$Least)
$ErrorActionPreference = 'Stop'

function Write-Report($report) {
  ConvertTo-Json -InputObject $report -Compress -Depth 4
}

switch ($Operation) {
  'space' {
    "Looking at $Folder"
    $root = [IO.Path]::GetPathRoot((Resolve-Path -LiteralPath $Folder).ProviderPath)
    $free = [long][math]::Floor([IO.DriveInfo]::new($root).AvailableFreeSpace / 1MB)
    $state = if ($free -ge $Least) { 'enough' } else { 'low' }
    Write-Report @{ value = $free; metrics = @{ FreeMiB = $free }; states = @{ Space = $state }; diagnostics = @{ Folder = $Folder } }
  }
  'system' {
    $system = [Environment]::OSVersion.VersionString
    Write-Report @{ value = $system; states = @{ Machine = $env:PROCESSOR_ARCHITECTURE } }
  }
  default {
    [Console]::Error.WriteLine("There is no operation $Operation.")
    exit 1
  }
}
