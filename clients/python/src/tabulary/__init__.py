"""Read, upload and compare tables of a Tabulary service."""

from .client import Client, Dataset
from .errors import ApiError, ChangedMeanwhile, TabularyError, UploadFailed
from .models import Diff, Process, Progress, Series, Version

__all__ = [
    "ApiError",
    "ChangedMeanwhile",
    "Client",
    "Dataset",
    "Diff",
    "Process",
    "Progress",
    "Series",
    "TabularyError",
    "UploadFailed",
    "Version",
]
