@echo off
rem Launcher for Windows (best effort): without an environment it starts set-up.
setlocal
set "AFORESAID_START=%~dp0..\server\start.py"
set "AFORESAID_COMMAND=%~1"
if "%AFORESAID_COMMAND%"=="hook" if "%AFORESAID_OFF%"=="1" exit /b 0
set "AFORESAID_PYTHON_FOUND="
if not "%AFORESAID_ENV%"=="" set "AFORESAID_PYTHON_FOUND=%AFORESAID_ENV%\Scripts\python.exe"
set "AFORESAID_LOCK="
if "%AFORESAID_ENV%"=="" set /p AFORESAID_LOCK=<"%~dp0..\server\lock.hash"
if not "%AFORESAID_LOCK%"=="" if exist "%LOCALAPPDATA%\aforesaid\aforesaid\env-%AFORESAID_LOCK%" set /p AFORESAID_PYTHON_FOUND=<"%LOCALAPPDATA%\aforesaid\aforesaid\env-%AFORESAID_LOCK%"
if not "%AFORESAID_PYTHON_FOUND%"=="" if not "%AFORESAID_COMMAND%"=="setup" if exist "%AFORESAID_PYTHON_FOUND%" (
  "%AFORESAID_PYTHON_FOUND%" -I -X utf8 "%AFORESAID_START%" %* && exit /b 0
  if not "%AFORESAID_COMMAND%"=="hook" exit /b
  rem An interpreter that no longer starts is replaced like a missing one.
  "%AFORESAID_PYTHON_FOUND%" -I -c "" <nul >nul 2>nul && exit /b 0
)
where py >nul 2>nul
if not errorlevel 1 (
  py -3 -I -X utf8 "%AFORESAID_START%" --setting-up %*
  exit /b
)
where python >nul 2>nul
if not errorlevel 1 (
  python -I -X utf8 "%AFORESAID_START%" --setting-up %*
  exit /b
)
echo Aforesaid found no Python 3.11 or newer. Install one with: winget install Python.Python.3.13 1>&2
if "%AFORESAID_COMMAND%"=="hook" exit /b 0
exit /b 1
