# Installs, updates or removes the CloudFit agent on Windows. In PowerShell as administrator:
#   & ([scriptblock]::Create((irm @SERVER@/agent/install.ps1))) -Url @SERVER@ -Token TOKEN
# Running the script again updates the program and keeps token and identity.
param(
  [string]$Url = '@SERVER@',
  [string]$Token = '',
  [string]$TokenFile = '',
  # Proxy to the server, as http://proxy:3128; that of the variable HTTPS_PROXY when left out, none to use none.
  [string]$Proxy = $env:HTTPS_PROXY,
  [switch]$NoStart,
  [switch]$Uninstall,
  [switch]$Purge
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

$principal = New-Object Security.Principal.WindowsPrincipal([Security.Principal.WindowsIdentity]::GetCurrent())
if (-not $principal.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) { throw 'Run this in PowerShell as administrator.' }
$Url = $Url.TrimEnd('/')
if ($Url -notmatch '^https?://[A-Za-z0-9._:-]+(/[A-Za-z0-9._~/-]*)?$') { throw "$Url is not an address as https://cloudfit.example.com." }

if ($Proxy -and $Proxy -ne 'none' -and $Proxy -notmatch '^https?://[!-~]+$') { throw 'The address of the proxy is not one of http or https.' }
$way = if ($Proxy -and $Proxy -ne 'none') { @{ Proxy = $Proxy } } else { @{} }

$task = 'CloudFit agent'
$folder = Join-Path $env:ProgramFiles 'CloudFit\agent'
$state = Join-Path $env:ProgramData 'CloudFit\agent'
$program = Join-Path $folder 'cloudfit-agent.exe'
$tokenPath = Join-Path $state 'token'

# Stops the agent before another one uses the state folder. Stopping the task kills the supervisor; its agent ends with it.
function Stop-Agent {
  if (Get-ScheduledTask -TaskName $task -ErrorAction SilentlyContinue) {
    Stop-ScheduledTask -TaskName $task
    Start-Sleep -Seconds 2
  }
  Get-Process -Name 'cloudfit-agent' -ErrorAction SilentlyContinue | Where-Object { $_.Path -and $_.Path.StartsWith($folder) } | Stop-Process -Force
}

if ($Uninstall) {
  Stop-Agent
  Unregister-ScheduledTask -TaskName $task -Confirm:$false -ErrorAction SilentlyContinue
  if (Test-Path $folder) { Remove-Item $folder -Recurse -Force }
  if ($Purge -and (Test-Path $state)) { Remove-Item $state -Recurse -Force }
  Write-Host 'The agent is removed.' $(if (-not $Purge) { "Its token and identity stay in $state; -Purge removes them too." })
  return
}

# Before the download, which would be in vain.
if ($TokenFile) { $Token = (Get-Content $TokenFile -Raw).Trim() }
if (-not $Token -and -not (Test-Path $tokenPath)) { throw 'The token is missing: give -Token or -TokenFile. Devices, Add devices in the portal shows one.' }

$sums = (Invoke-WebRequest "$Url/agent/SHA256SUMS" -UseBasicParsing @way).Content
if ($sums -is [byte[]]) { $sums = [Text.Encoding]::ASCII.GetString($sums) }
$file = 'cloudfit-agent-win-x64.exe'
$line = ($sums -split "`n") | Where-Object { $_.Trim().EndsWith("  $file") } | Select-Object -First 1
if (-not $line) { throw "$Url offers no agent for Windows: an administrator of the server runs 'npm run agent' there." }
$wanted = $line.Substring(0, 64)

New-Item -ItemType Directory -Force $folder, $state | Out-Null
if ((Test-Path $program) -and (Get-FileHash $program -Algorithm SHA256).Hash -eq $wanted) {
  Write-Host "$program is up to date."
} else {
  Write-Host "Downloading $file ..."
  $new = "$program.new"
  Invoke-WebRequest "$Url/agent/$file" -OutFile $new -UseBasicParsing @way
  if ((Get-FileHash $new -Algorithm SHA256).Hash -ne $wanted) {
    Remove-Item $new
    throw "The download is damaged: its SHA-256 is not $wanted. Run this again."
  }
  Stop-Agent
  Move-Item $new $program -Force
}

if ($Token) { Set-Content -Path $tokenPath -Value $Token -Encoding ascii }
# Only administrators and the system get access (by their SIDs, which are the same in every language).
& icacls $state /inheritance:r /grant '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' | Out-Null

# A file that only they can read, because everybody can read the settings of a task, and the address may have a password.
$proxyPath = Join-Path $state 'proxy'
if ($Proxy -eq 'none') { Remove-Item $proxyPath -ErrorAction SilentlyContinue } elseif ($Proxy) { Set-Content -Path $proxyPath -Value $Proxy -Encoding ascii }

$arguments = "--supervise --url `"$Url`" --token-file `"$tokenPath`" --state-dir `"$state`" --log-file `"$(Join-Path $state 'agent.log')`""
$action = New-ScheduledTaskAction -Execute $program -Argument $arguments
$trigger = New-ScheduledTaskTrigger -AtStartup
$account = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
$settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -ExecutionTimeLimit ([TimeSpan]::Zero) `
  -RestartCount 999 -RestartInterval (New-TimeSpan -Minutes 1) -MultipleInstances IgnoreNew -StartWhenAvailable
Register-ScheduledTask -TaskName $task -Action $action -Trigger $trigger -Principal $account -Settings $settings -Force | Out-Null
if ($NoStart) {
  Write-Host "The agent is installed. Start it by: Start-ScheduledTask '$task'"
} else {
  Stop-Agent
  Start-ScheduledTask -TaskName $task
  Write-Host "The agent is installed and runs as the scheduled task '$task'."
}
